"""Where partial tallies are made and merged: in this process, on Dask or on Spark. Same jobs, same tallies."""
