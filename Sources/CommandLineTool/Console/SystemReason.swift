import Foundation
import RecordStore

extension Error {
  /// The system's words for what was refused, such as "Permission denied"; the error's own where there are none.
  /// Foundation describes its errors by domain and number.
  var systemReason: String {
    SystemErrorNumber.number(of: self).map { String(cString: strerror($0)) } ?? localizedDescription
  }
}

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
