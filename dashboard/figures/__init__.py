"""Overview and analysis: figures over the cases, drawn as charts."""
