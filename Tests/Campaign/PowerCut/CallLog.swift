import Foundation

/// The log that `Tests/CampaignCalls/calls.c` keeps of a run.
struct CallLog: Sendable {
  enum Entry: Sendable {
    case create(file: UInt64, path: String)
    case write(file: UInt64, offset: Int, bytes: Range<Int>)
    case truncate(file: UInt64, length: Int)
    /// What was written before a flush began is safe once it has ended.
    case flushBegun(file: UInt64, serial: Int64)
    case flushEnded(file: UInt64, serial: Int64)
    case flushFailed(file: UInt64)
    case rename(from: String, to: String)
    case remove(path: String)
    case makeFolder(path: String)
    case flushFolder(path: String)
    case begun(writer: Int64, save: Int64)
    case saved(writer: Int64, save: Int64)
  }

  let content: [UInt8]
  let entries: [Entry]
  private static let headerBytes = 24

  init(contentsOf url: URL) throws {
    content = [UInt8](try Data(contentsOf: url))
    var entries: [Entry] = []
    var position = 0
    // A process that was killed may have left the last entry cut short.
    while position + Self.headerBytes <= content.count {
      let (kind, count, file, number) = content.withUnsafeBytes { bytes in
        (
          bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self),
          Int(bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self)),
          bytes.loadUnaligned(fromByteOffset: position + 8, as: UInt64.self),
          bytes.loadUnaligned(fromByteOffset: position + 16, as: Int64.self)
        )
      }
      let start = position + Self.headerBytes
      guard start + count <= content.count else { break }
      entries.append(try Self.entry(kind, start..<start + count, file, number, content))
      position = start + count
    }
    self.entries = entries
  }

  private static func entry(
    _ kind: UInt32, _ bytes: Range<Int>, _ file: UInt64, _ number: Int64, _ content: [UInt8]
  ) throws -> Entry {
    func text() -> String { String(decoding: content[bytes], as: UTF8.self) }
    switch kind {
    case 1: return .create(file: file, path: text())
    case 2: return .write(file: file, offset: Int(number), bytes: bytes)
    case 3: return .truncate(file: file, length: Int(number))
    case 4: return .flushBegun(file: file, serial: number)
    case 5: return .flushEnded(file: file, serial: number)
    case 6: return .flushFailed(file: file)
    case 7:
      let parts = text().split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else { throw Trouble("the log of calls has a rename without two names") }
      return .rename(from: parts[0], to: parts[1])
    case 8: return .remove(path: text())
    case 9: return .makeFolder(path: text())
    case 10: return .flushFolder(path: text())
    case 11: return .begun(writer: Int64(file), save: number)
    case 12: return .saved(writer: Int64(file), save: number)
    default: throw Trouble("the log of calls has an entry of the unknown kind \(kind)")
    }
  }
}
