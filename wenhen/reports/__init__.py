"""Write the infringement report: PDF, Excel, CSV, JSON, HTML, Word."""
