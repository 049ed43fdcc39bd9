public import Foundation
import RecordStore

// A whole suite as text.
extension KeyValueStore {
  /// All stored keys and values as one JSON object, each value in the form of ``KeyValue``: kinds, dates and data come
  /// back exactly. Registered defaults and what has expired are left out; ends of values are kept.
  ///
  /// - Throws: `StoreError`: `newerFormat` where a value was written by a later build, so that nothing is left out in
  ///   silence, and what reading the store throws.
  public func exportJSON() throws -> Data {
    let now = now
    let entries = try store.read { try $0.keyValues(prefix: "", suite: suiteName, in: place) }
    var contents: [String: KeyValueContent] = [:]
    for entry in entries {
      guard let content = entry.content else {
        throw StoreError(
          .newerFormat,
          "the value of \(entry.key.debugDescription) in \(suiteName) was written by a later build; "
            + "export it with that build, or remove the key")
      }
      if !content.hasExpired(at: now) { contents[entry.key] = content }
    }
    return try KeyValue.encoder.encode(contents)
  }

  /// Sets the keys of an export in one durable commit, and returns them. Other keys stay, unless `replacing`: then
  /// they are removed.
  ///
  /// - Throws: `DecodingError` for any other text, and what ``transaction(_:)`` throws; then nothing is changed.
  @discardableResult
  public func importJSON(_ data: Data, replacing: Bool = false) throws -> Set<String> {
    let contents = try Self.contents(ofExport: data)
    try transaction { edit in
      if replacing { edit.removeAll() }
      for (key, content) in contents { edit.set(content, forKey: key) }
    }
    return Set(contents.keys)
  }

  /// Throws `DecodingError` for anything but an export.
  package static func checkExport(_ data: Data) throws { _ = try contents(ofExport: data) }

  private static func contents(ofExport data: Data) throws -> [String: KeyValueContent] {
    try KeyValue.decoder.decode([String: KeyValueContent].self, from: data)
  }
}
