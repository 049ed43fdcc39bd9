package import Foundation

/// Lines of a file or pipe, one after the other, without holding the whole. A byte order mark, with which some programs
/// begin a file, is none of the first line.
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
      let chunk = try nextChunk()
      if chunk.isEmpty { isAtEnd = true }
      // Lines that were taken go; a long one grows in its place, and is not copied for each piece of it.
      if buffer.startIndex > 0 { buffer = Data(buffer) }
      buffer.append(chunk)
    }
  }

  /// The bytes that are there now: `FileHandle` would wait for a full chunk of a pipe. Empty at the end.
  private func nextChunk() throws -> Data {
    var bytes = [UInt8](repeating: 0, count: LineReader.chunkBytes)
    while true {
      let count = read(handle.fileDescriptor, &bytes, bytes.count)
      if count >= 0 { return Data(bytes.prefix(count)) }
      guard errno == EINTR else {
        throw InspectionError(
          .inputOutput, "cannot read the input: \(String(cString: strerror(errno))); check the file")
      }
    }
  }

  private func text(_ bytes: Data) throws -> String {
    lineNumber += 1
    let whole = lineNumber == 1 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
    let line = whole.last == UInt8(ascii: "\r") ? whole.dropLast() : whole
    guard let text = String(validating: line, as: UTF8.self) else {
      throw InspectionError(.malformedLine, "line \(lineNumber) is not UTF-8; this is not a dump")
    }
    return text
  }
}
