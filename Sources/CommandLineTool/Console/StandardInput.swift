import Foundation
import RecordStore

/// The text or data that another program hands over.
enum StandardInput {
  /// All of it.
  static func read() throws -> Data {
    do {
      return try FileHandle.standardInput.readToEnd() ?? Data()
    } catch let error as CocoaError {
      throw CommandFailure("cannot read standard input: \(error.systemReason); give it a file, a pipe or '</dev/null'")
    }
  }
}
