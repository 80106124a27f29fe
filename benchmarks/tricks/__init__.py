"""A catalogue of the tricks by which a copied Chinese text is kept from being found, each with its source."""
