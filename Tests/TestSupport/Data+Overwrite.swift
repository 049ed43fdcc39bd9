public import Foundation

extension Data {
  /// Writes the bytes over those of a file that is there, which stays the same one.
  ///
  /// It is never empty meanwhile, as it is in `write(to:)`: threads of a store that was let go a moment ago may still
  /// look at its map, and a page that the file does not have would end the process.
  public func overwrite(_ file: URL) throws {
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: self)
    try handle.truncate(atOffset: UInt64(count))
    try handle.close()
  }
}
