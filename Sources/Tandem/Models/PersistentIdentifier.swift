import Foundation
package import RecordStore

/// The name of one object: of which store, which entity, which record. Stable over launches and processes.
///
/// ```swift
/// var rows: [PersistentIdentifier.ID: Int] = [:]
/// for (row, trip) in trips.enumerated() { rows[trip.persistentModelID.id] = row }
/// let identifier: PersistentIdentifier = trips[0].persistentModelID
/// let again = context.model(for: identifier)
/// ```
///
/// A value that may be kept, sent and encoded. Two identifiers are equal when they name the same record
/// of the same entity; an object's identifier is therefore the same before and after its insertion.
public struct PersistentIdentifier: Hashable, Comparable, Identifiable, Sendable {
  /// Names the record among all records.
  public struct ID: Hashable, Sendable {
    package let recordID: RecordID
  }

  /// The record's name, the same for every identifier of the object.
  public let id: ID
  /// Names the store's family, equal on all devices that hold the same store; nil before the object is
  /// saved.
  public let storeIdentifier: String?
  /// The name of the object's class.
  public let entityName: String
  /// Whether the object was never saved, when the identifier was taken from it.
  public let isTemporary: Bool

  package var recordID: RecordID { id.recordID }

  package init(recordID: RecordID, entityName: String, storeIdentifier: String?, isTemporary: Bool = false) {
    id = ID(recordID: recordID)
    self.entityName = entityName
    self.storeIdentifier = storeIdentifier
    self.isTemporary = isTemporary
  }

  /// The identifier of an object of which the parts are known.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The store that has the object.
  ///   - entityName: The object's class.
  ///   - primaryKey: For objects of this library's stores the 32 hexadecimal digits that the text of an identifier ends
  ///     with. For those of a ``DataStore`` of another kind whatever names the object among its class: equal texts give
  ///     equal identifiers, and the key itself cannot be had back from one.
  /// - Throws: `SwiftDataError.invalidIdentifier` for an empty key.
  public static func identifier<Key: Comparable & CustomStringConvertible & Codable & Hashable>(
    for storeIdentifier: String, entityName: String, primaryKey: Key
  ) throws -> PersistentIdentifier {
    let key = primaryKey.description
    guard !key.isEmpty else {
      throw SwiftDataError(.invalidIdentifier, "an empty key names no object; give the object's own")
    }
    let recordID =
      RecordID(key) ?? (primaryKey as? UUID).flatMap { RecordID($0.uuidString.filter { $0 != "-" }) }
      ?? RecordID(derivedFrom: [entityName, key])
    return PersistentIdentifier(recordID: recordID, entityName: entityName, storeIdentifier: storeIdentifier)
  }

  /// Whether both name one record of one entity. The store, and whether the object was saved, do not count.
  public static func == (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
    left.id == right.id && left.entityName == right.entityName
  }

  /// Hashes the record's name.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// By entity, then by the time of making.
  public static func < (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
    left.entityName != right.entityName ? left.entityName < right.entityName : left.recordID < right.recordID
  }
}

extension PersistentIdentifier: CustomStringConvertible {
  /// The store's identifier, the class's name and 32 hexadecimal digits, separated by slashes.
  public var description: String { "\(storeIdentifier ?? "")/\(entityName)/\(recordID)" }
}

extension PersistentIdentifier: Codable {
  private enum Key: String, CodingKey { case implementation }
  private enum Part: String, CodingKey { case entityName, isTemporary, primaryKey, storeIdentifier }

  /// Reads what ``encode(to:)`` wrote.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let parts = try decoder.container(keyedBy: Key.self).nestedContainer(keyedBy: Part.self, forKey: .implementation)
    self.init(
      recordID: try parts.decode(RecordID.self, forKey: .primaryKey),
      entityName: try parts.decode(String.self, forKey: .entityName),
      storeIdentifier: try parts.decodeIfPresent(String.self, forKey: .storeIdentifier),
      isTemporary: try parts.decode(Bool.self, forKey: .isTemporary))
  }

  /// Writes the parts under the one key `implementation`.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    var parts = container.nestedContainer(keyedBy: Part.self, forKey: .implementation)
    try parts.encode(recordID, forKey: .primaryKey)
    try parts.encode(entityName, forKey: .entityName)
    try parts.encodeIfPresent(storeIdentifier, forKey: .storeIdentifier)
    try parts.encode(isTemporary, forKey: .isTemporary)
  }
}
