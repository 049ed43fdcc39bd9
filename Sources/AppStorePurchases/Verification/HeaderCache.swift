import Foundation
import Synchronization

/// The last headers of tokens that were well-formed, by their text: the tokens that a store signs with one path of
/// certificates have the same header, which is most of their bytes.
///
/// A header says nothing about whether its certificates hold, so nothing of it is believed for being known.
final class HeaderCache: Sendable {
  /// As many as there are paths in ``PathCache``.
  static let capacity = PathCache.capacity

  private struct Entry {
    let text: String
    let data: Data
    let header: TokenHeader
  }

  /// The newest last.
  private let entries = Mutex<[Entry]>([])

  /// The decoded bytes of a header's text; nil for one that is not known.
  func data(of text: Substring) -> Data? {
    entries.withLock { entries in
      // Equal texts of equal length in bytes are equal byte by byte here, since those that are kept are ASCII.
      entries.last { $0.text.utf8.count == text.utf8.count && $0.text == text }?.data
    }
  }

  /// Steps 2 and 3 of verification, taken once for each header.
  func header(of document: SignedDocument) throws -> TokenHeader {
    let known = entries.withLock { entries in entries.last { $0.data == document.header }?.header }
    if let known { return known }
    let header = try TokenHeader(document.header)
    let text = String(document.text.prefix { $0 != "." })
    entries.withLock { entries in
      entries.append(Entry(text: text, data: document.header, header: header))
      if entries.count > Self.capacity { entries.removeFirst() }
    }
    return header
  }
}
