"""What registries say of a site's domain by RDAP: asked where the settings allow it, read in a bounded child."""
