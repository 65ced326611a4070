"""Names that the page on costs uses."""

from surefold.costs.example import simulated_oil_slicks
from surefold.learners import NaiveBayes

X, y = simulated_oil_slicks(1000, share=0.05, random_state=0)
model = NaiveBayes()
