"""Access to Scala: the session, the bundled jar, compatibility checks, errors."""
