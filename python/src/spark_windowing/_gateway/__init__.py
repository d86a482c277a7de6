"""Access to Scala: session, bundled jar, compatibility checks, errors."""
