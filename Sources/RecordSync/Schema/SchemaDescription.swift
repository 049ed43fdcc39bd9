import Foundation
import RecordStore

/// How a change set explains its numbers: the author's catalogue in JSON with sorted names.
///
/// The same JSON lies in every store, so it is a file format already. Members that a newer version adds are ignored.
enum SchemaDescription {
  static func encode(_ catalogue: Catalogue) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(catalogue))
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
      catalogue = try JSONDecoder().decode(Catalogue.self, from: Data(bytes))
    } catch {
      throw SyncError(.damagedFile, "the schema description of \(subject) cannot be read", cause: error)
    }
    guard catalogue.isSound else {
      throw SyncError(.damagedFile, "the schema description of \(subject) contradicts itself")
    }
    return catalogue
  }
}
