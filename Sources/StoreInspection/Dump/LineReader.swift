package import Foundation

/// Lines of a file or pipe, one after the other, without holding the whole.
///
/// Not Sendable: used by one thread. A line may have up to 256 MiB; a file that has no line ends is
/// refused there instead of filling the memory.
package final class LineReader {
  private static let maximumLineBytes = 256 << 20
  private static let chunkBytes = 1 << 18

  private let handle: FileHandle
  private var buffer = Data()
  private var isAtEnd = false
  /// The number of the line last returned, from 1.
  package private(set) var lineNumber = 0

  package init(_ handle: FileHandle) { self.handle = handle }

  /// The next line without its end; nil after the last.
  package func next() throws -> String? {
    var searched = 0
    while true {
      if let end = buffer[(buffer.startIndex + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer = buffer[(end + 1)...] }
        return try text(buffer[..<end])
      }
      if isAtEnd {
        defer { buffer = Data() }
        return buffer.isEmpty ? nil : try text(buffer)
      }
      searched = buffer.count
      guard searched <= LineReader.maximumLineBytes else {
        throw InspectionError(.malformedLine, "line \(lineNumber + 1) is longer than 256 MiB; this is not a dump")
      }
      let chunk = try handle.read(upToCount: LineReader.chunkBytes) ?? Data()
      if chunk.isEmpty { isAtEnd = true }
      buffer = Data(buffer) + chunk
    }
  }

  private func text(_ bytes: Data) throws -> String {
    lineNumber += 1
    let line = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
    guard let text = String(validating: line, as: UTF8.self) else {
      throw InspectionError(.malformedLine, "line \(lineNumber) is not UTF-8; this is not a dump")
    }
    return text
  }
}
