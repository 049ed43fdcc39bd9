package import Foundation

// The one rule on where directories may lie that a synchronisation brings together.
extension SyncError {
  /// Throws `sameDirectory` where two directories are one, or one lies inside the other. Symbolic links lead to what
  /// they name.
  package static func requireSeparate(_ left: URL, _ right: URL) throws {
    let (left, right) = (place(of: left), place(of: right))
    if left == right {
      throw SyncError(.sameDirectory, "both sides are the directory \(left); name two different ones")
    }
    for (inner, outer) in [(left, right), (right, left)] where inner.hasPrefix(outer == "/" ? outer : outer + "/") {
      throw SyncError(
        .sameDirectory,
        "\(inner) lies inside \(outer): name two directories of which neither holds the other, since a store must not "
          + "lie in a folder that another tool moves")
    }
  }

  private static func place(of directory: URL) -> String {
    directory.standardizedFileURL.resolvingSymlinksInPath().path
  }

  /// The remedy where a folder was emptied and is to be filled again.
  static let remedyOfEmptiedFolder =
    "write all that this device knows into it with 'tandem sync --begin-anew', or beginAnew() in an app"
}
