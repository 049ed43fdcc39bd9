import Foundation

/// The log that `Tests/PowerCut/write-log.c` keeps of a run.
struct WriteLog {
  enum Entry {
    case write(offset: Int, bytes: Range<Int>)
    case flush
    case truncate(length: Int)
    case begun(Int64)
    case saved(Int64)
    /// The file has got its place in the store's directory.
    case rename
    case flushFolder
  }

  let content: Data
  let entries: [Entry]

  init(contentsOf url: URL) throws {
    content = try Data(contentsOf: url)
    entries = try Self.parse(content)
  }

  private static let headerBytes = 24

  private static func parse(_ content: Data) throws -> [Entry] {
    var entries: [Entry] = []
    var position = 0
    while position + headerBytes <= content.count {
      let (kind, first, length) = content.withUnsafeBytes { bytes in
        (
          bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self),
          bytes.loadUnaligned(fromByteOffset: position + 8, as: Int64.self),
          Int(bytes.loadUnaligned(fromByteOffset: position + 16, as: Int64.self))
        )
      }
      position += headerBytes
      switch kind {
      case 1:
        guard length >= 0, position + length <= content.count else { throw Failure("the log is cut short") }
        entries.append(.write(offset: Int(first), bytes: position..<position + length))
        position += length
      case 2: entries.append(.flush)
      case 3: entries.append(.truncate(length: Int(first)))
      case 4: entries.append(.begun(first))
      case 5: entries.append(.saved(first))
      case 6: entries.append(.rename)
      case 7: entries.append(.flushFolder)
      default: throw Failure("the log has an entry of unknown kind \(kind)")
      }
    }
    return entries
  }
}
