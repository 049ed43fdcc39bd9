import RecordStore

/// What the store of the power-cut test must hold after a given number of saves: a pure function of the seed.
struct PowerCutModel {
  static let itemCount = 60
  static let changesPerSave = 5

  static let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "Item",
      attributes: [AttributeDefinition(name: "number", type: .int), AttributeDefinition(name: "text", type: .string)],
      uniquenessConstraints: [["number"]], indexes: [IndexDefinition("text")]),
    EntityDefinition(
      name: "Progress",
      attributes: [AttributeDefinition(name: "name", type: .string), AttributeDefinition(name: "save", type: .int)],
      uniquenessConstraints: [["name"]]),
  ])

  struct Change {
    var number: Int64
    /// Nil deletes the item.
    var text: String?
  }

  /// The text of each item by its number.
  private(set) var items: [Int64: String] = [:]

  init(seed: UInt64, saves: Int64) {
    for save in stride(from: Int64(1), through: saves, by: 1) {
      for change in Self.changes(seed: seed, save: save) { items[change.number] = change.text }
    }
  }

  static func changes(seed: UInt64, save: Int64) -> [Change] {
    (0..<changesPerSave).map { index in
      let random = mix(seed &* 1_000_003 &+ UInt64(save) &* 64 &+ UInt64(index))
      let number = Int64(random % UInt64(itemCount))
      if (random >> 20) % 8 == 0 { return Change(number: number, text: nil) }
      // Now and then one that needs pages of its own.
      let length = (random >> 30) % 16 == 0 ? (random >> 34) % 9000 : (random >> 34) % 300
      let text = "\(save):\(number):" + String(repeating: "x", count: Int(length))
      return Change(number: number, text: text)
    }
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var mixed = (value ^ value >> 33) &* 0xff51_afd7_ed55_8ccd
    mixed = (mixed ^ mixed >> 33) &* 0xc4ce_b9fe_1a85_ec53
    return mixed ^ mixed >> 33
  }
}
