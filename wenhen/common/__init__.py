"""Common texts: statutes, classics, contracts, forms. They are everybody's, and accuse nobody."""
