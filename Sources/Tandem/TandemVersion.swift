/// The release that a program was built with, for its log or its `--version`:
///
/// ```swift
/// print("Tandem \(TandemVersion.current)")
/// ```
///
/// It says nothing of a store, whose format has a version of its own.
public enum TandemVersion {
  /// The version by the rules of semver.org: major, minor and patch.
  public static let current = "0.1.0"
}
