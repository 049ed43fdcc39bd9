import Foundation
import RecordStore
import Synchronization

/// How a change set explains its numbers: the author's catalogue in JSON with sorted names.
///
/// The same JSON lies in every store, so it is a file format already. Members that a newer version adds are ignored.
enum SchemaDescription {
  /// The latest description: a run describes its store's schema in every file that it writes, and the encoder takes as
  /// long as the merge of fifty records.
  private static let last = Mutex<(catalogue: Catalogue, description: [UInt8])?>(nil)

  static func encode(_ catalogue: Catalogue) throws -> [UInt8] {
    if let last = last.withLock(\.self), last.catalogue == catalogue { return last.description }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let description = [UInt8](try encoder.encode(catalogue))
    last.withLock { $0 = (catalogue, description) }
    return description
  }

  /// How heads name a schema: the first half of its description's hash.
  static func identifier(of catalogue: Catalogue) throws -> [UInt8] {
    Array(ContentHash(of: try encode(catalogue)).bytes.prefix(ReplicaHead.schemaIDBytes))
  }

  /// Throws `damagedFile` when entities and fields are not numbered from 0 without a gap, or a rule names
  /// a field that is not there.
  static func decode(_ bytes: [UInt8], subject: String) throws -> Catalogue {
    let catalogue: Catalogue
    do {
      catalogue = try Catalogue(commonJSON: bytes) ?? JSONDecoder().decode(Catalogue.self, from: Data(bytes))
    } catch {
      throw SyncError(.damagedFile, "the schema description of \(subject) cannot be read", cause: error)
    }
    guard catalogue.isSound else {
      throw SyncError(.damagedFile, "the schema description of \(subject) contradicts itself")
    }
    return catalogue
  }
}
