import Foundation
import LMDB

/// A file's length and the CRC-32C of its bytes.
struct FileDigest: Hashable, Sendable {
  private(set) var byteCount: UInt64 = 0
  private(set) var checksum: UInt32 = 0
  private static let pieceBytes = 1 << 20

  /// Reads a file from end to end, and writes what it reads to another one, if there is one.
  init(
    _ path: String, copyingTo target: (descriptor: Int32, path: String)? = nil, progress: (UInt64) -> Void = { _ in }
  ) throws {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(systemError: errno, doing: "read", path: path) }
    defer { close(descriptor) }
    var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw StoreError(systemError: errno, doing: "read", path: path) }
      if count == 0 { return }
      if let target { try Self.write(piece.prefix(count), to: target.descriptor, at: target.path) }
      checksum = piece.withRawBytes { $0.slice(0..<count).checksum(after: checksum) }
      byteCount += UInt64(count)
      progress(byteCount)
    }
  }

  private static func write(_ bytes: ArraySlice<UInt8>, to target: Int32, at path: String) throws {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(target, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw StoreError(systemError: errno, doing: "write", path: path) }
      rest = rest.dropFirst(count)
    }
  }
}
