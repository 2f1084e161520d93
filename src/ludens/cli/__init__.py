"""The command line: the only room that knows all the others. Importing it imports no JAX."""
