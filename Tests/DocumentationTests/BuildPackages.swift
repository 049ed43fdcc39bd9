/// The packages of Debian that an app is built with, as `tools/prepare` installs them.
enum BuildPackages {
  /// libnova is for one of the example apps alone, SQLite for `TandemBridges` and the tool,
  /// libedit for the tool.
  static func named(in script: String) -> Set<String> {
    Set(script.matches(of: /\b(lib[a-z0-9]+-dev|pkg-config)\b/).map { String($0.1) }).subtracting([
      "libnova-dev", "libsqlite3-dev", "libedit-dev",
    ])
  }
}
