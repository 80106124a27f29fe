"""The API's works: their holders and licences, and texts held against them."""
