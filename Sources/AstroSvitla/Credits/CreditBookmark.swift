import Crypto
import Foundation
import RecordStore

/// ``OpenCredits`` as they were at one place in the store's history, kept beside the records.
///
/// No balance, and nothing that could be wrong: it is used for the very store and schema that it was made of, and all
/// that history has after it is added. Where history does not reach back to it, or a byte of it is not as it was
/// written, all records are read instead. It stays on this device and goes with the store's file and its copies.
///
/// Attachment `astrosvitla/open-credits`: format u8 (1) · the first 8 bytes of the SHA-256 of the rest · JSON. Another
/// build's format is one that is not there, so it may change at any time.
struct CreditBookmark: Hashable, Sendable {
  /// A state of a store.
  struct Place: Hashable, Codable, Sendable {
    /// The life of the store: another one after a restored copy or an erasure.
    var incarnation: UInt64
    /// Rises with every change of the schema.
    var generation: UInt64
    /// The last transaction in the history.
    var number: UInt64

    init(_ snapshot: borrowing StoreSnapshot) throws {
      incarnation = try snapshot.incarnation
      generation = snapshot.catalogue.generation
      number = try snapshot.lastTransactionNumber
    }

    /// Whether history can lead from here to another place.
    func leads(to other: Place) -> Bool {
      incarnation == other.incarnation && generation == other.generation && number <= other.number
    }
  }

  /// How many open credits are kept at most. More cost a look at all records, as they cost a look each anyway.
  static let maximumCount = 4_096
  static let key = Array("astrosvitla/open-credits".utf8)
  private static let format: UInt8 = 1
  private static let digestByteCount = 8

  var place: Place
  var open: OpenCredits

  init(place: Place, open: OpenCredits) {
    self.place = place
    self.open = open
  }

  /// Nil where none is kept that this build can read.
  init?(_ bytes: [UInt8]?) {
    guard let bytes, bytes.first == Self.format else { return nil }
    let json = Data(bytes.dropFirst(1 + Self.digestByteCount))
    guard Self.digest(json) == Array(bytes.dropFirst().prefix(Self.digestByteCount)) else { return nil }
    do {
      self = try JSONDecoder().decode(Self.self, from: json)
    } catch {
      // Whole, and not as this build writes it: another build's. Nothing is lost by not having it.
      return nil
    }
  }

  /// The attachment's value.
  func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = try encoder.encode(self)
    return [Self.format] + Self.digest(json) + json
  }

  private static func digest(_ json: Data) -> [UInt8] { Array(SHA256.hash(data: json).prefix(digestByteCount)) }
}

extension CreditBookmark: Codable {
  private enum Key: CodingKey {
    case place, unspent, displaced, strays, purchased, consumed
  }

  private struct Unspent: Codable {
    var transaction: String
    var ordinal: Int
    var date: Date
  }

  private struct Stray: Codable {
    var transaction: String
    var ordinal: Int
    var count: Int
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    place = try values.decode(Place.self, forKey: .place)
    let unspent = try values.decode([Unspent].self, forKey: .unspent).map {
      (CreditKey(transaction: $0.transaction, ordinal: $0.ordinal), $0.date)
    }
    let strays = try values.decode([Stray].self, forKey: .strays).map {
      (CreditKey(transaction: $0.transaction, ordinal: $0.ordinal), $0.count)
    }
    open = OpenCredits(
      unspent: Dictionary(unspent) { first, _ in first },
      displacedCount: try values.decode(Int.self, forKey: .displaced),
      strays: Dictionary(strays) { first, _ in first },
      purchasedCount: try values.decode(Int.self, forKey: .purchased),
      consumedCount: try values.decode(Int.self, forKey: .consumed))
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(place, forKey: .place)
    let unspent = open.unspent.map { Unspent(transaction: $0.key.transaction, ordinal: $0.key.ordinal, date: $0.value) }
    try values.encode(unspent, forKey: .unspent)
    try values.encode(open.displacedCount, forKey: .displaced)
    let strays = open.strays.map { Stray(transaction: $0.key.transaction, ordinal: $0.key.ordinal, count: $0.value) }
    try values.encode(strays, forKey: .strays)
    try values.encode(open.purchasedCount, forKey: .purchased)
    try values.encode(open.consumedCount, forKey: .consumed)
  }
}
