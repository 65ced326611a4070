"""Where does it fail, and where is it better? One measure by slices of the rows, each against all the others."""
