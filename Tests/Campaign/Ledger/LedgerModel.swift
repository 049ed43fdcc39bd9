import Foundation
import RecordStore

/// What one writer's items must be after a given number of its saves: a pure function of the seed.
struct LedgerModel {
  static let itemsPerWriter: Int64 = 60
  private static let changesPerSave = 5

  struct Change {
    var number: Int64
    /// Nil deletes the item.
    var text: String?
  }

  /// The text of each item by its number.
  private(set) var items: [Int64: String] = [:]

  init(seed: UInt64, writer: Int64, saves: Int64) {
    for save in stride(from: Int64(1), through: saves, by: 1) {
      for change in Self.changes(seed: seed, writer: writer, save: save) { items[change.number] = change.text }
    }
  }

  /// At most one change an item, by its number.
  static func changes(seed: UInt64, writer: Int64, save: Int64) -> [Change] {
    var last: [Int64: Change] = [:]
    for index in 0..<changesPerSave {
      let random = mix(
        seed &* 1_000_003 &+ UInt64(writer) &* 0x9e37_79b9_7f4a_7c15 &+ UInt64(save) &* 64 &+ UInt64(index))
      let number = writer * 1000 + Int64(random % UInt64(itemsPerWriter))
      last[number] = Change(number: number, text: text(random, save: save, number: number))
    }
    return last.values.sorted { $0.number < $1.number }
  }

  private static func text(_ random: UInt64, save: Int64, number: Int64) -> String? {
    if (random >> 20) % 8 == 0 { return nil }
    // Now and then one that needs pages of its own.
    let length = (random >> 30) % 16 == 0 ? (random >> 34) % 9000 : (random >> 34) % 300
    return "\(save):\(number):" + String(repeating: "x", count: Int(length))
  }

  /// The large value that goes with a text: one of a few, so that some come and go and come again.
  static func scan(of text: String) -> Data? {
    let hash = text.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x0100_0000_01b3 }
    let kind = mix(hash) % 48
    guard kind % 6 > 0 else { return nil }
    return Data((0..<300 + Int(kind) * 90).map { UInt8(truncatingIfNeeded: mix(kind &* 8192 &+ UInt64($0))) })
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var mixed = (value ^ value >> 33) &* 0xff51_afd7_ed55_8ccd
    mixed = (mixed ^ mixed >> 33) &* 0xc4ce_b9fe_1a85_ec53
    return mixed ^ mixed >> 33
  }
}
