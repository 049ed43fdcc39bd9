import Foundation
import RecordStore

extension FileItem {
  /// The item at a path that a person gave; nil if nothing is there.
  static func given(_ path: String) throws(CommandFailure) -> FileItem? {
    do {
      return try FileItem(at: path)
    } catch {
      throw CommandFailure("cannot look at \(path): \(error.systemReason); check the path and its permissions")
    }
  }
}
