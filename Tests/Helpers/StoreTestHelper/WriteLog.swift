import Foundation

/// The log that `Tests/PowerCut/write-log.c` keeps of a run.
struct WriteLog {
  enum File: Int {
    case data
    case redoLog
  }

  enum Entry {
    case write(File, offset: Int, bytes: Range<Int>)
    case flush(File)
    case truncate(File, length: Int)
    case begun(Int64)
    case saved(Int64)
    /// The data file has got its place in the store's directory.
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
      let (kind, number, first, length) = content.withUnsafeBytes { bytes in
        (
          bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self),
          Int(bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self)),
          bytes.loadUnaligned(fromByteOffset: position + 8, as: Int64.self),
          Int(bytes.loadUnaligned(fromByteOffset: position + 16, as: Int64.self))
        )
      }
      position += headerBytes
      guard let file = File(rawValue: number) else { throw Failure("the log has an unknown file \(number)") }
      switch kind {
      case 1:
        guard length >= 0, position + length <= content.count else { throw Failure("the log is cut short") }
        entries.append(.write(file, offset: Int(first), bytes: position..<position + length))
        position += length
      case 2: entries.append(.flush(file))
      case 3: entries.append(.truncate(file, length: Int(first)))
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
