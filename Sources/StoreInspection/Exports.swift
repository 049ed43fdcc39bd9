// The module's first file; its contents follow.
