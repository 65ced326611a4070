"""Names that the front page uses."""

y_true = ["spam", "spam", "fine", "fine", "spam", "fine"]
y_pred = ["spam", "fine", "fine", "fine", "spam", "spam"]
