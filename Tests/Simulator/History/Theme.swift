/// A schema that tries some rules of merging, and what histories over it may do.
struct Theme: Hashable, Sendable {
  var name: String
  var schema: SimulatedSchema
  /// What replicas have that are upgraded late; nil: all begin with `schema`.
  var olderSchema: SimulatedSchema?
  /// Whether `Effect` and `Line` are inserted once for a key.
  var hasEffects = false
  /// Whether files of large values are lost, damaged and cleared away.
  var hasLargeValues = false
  /// Whether folders are encrypted, devices lack the key for a while, and the key is replaced.
  var isSealed = false
  /// Whether the family of encrypted folders is shared, so that files bear signatures.
  var isShared = false
  /// Whether a device is forgotten early, and goes on to write.
  var forgets = false
  /// The texts of records.
  var words = ["a", "b", "c", "d"]

  static let all = drawn + [photos, letters]
  /// Those among which a seed draws. It stays as it is, so that seeds keep their histories.
  static let drawn: [Theme] = [notes, lists, purchases, trips, tags, badges, skew, effects]

  /// Whether a seed's history is about large values instead of what it draws: said by other bits of the seed.
  static func isOfLargeValues(_ seed: UInt64) -> Bool {
    var random = HistoryRandom(seed: ~seed)
    return random.chance(10)
  }

  /// Whether a seed's history is about encrypted folders: said by a bit that no seed had when there were none, so that
  /// all of them kept their histories.
  static func isOfSealedFolders(_ seed: UInt64) -> Bool { seed >> 32 & 1 == 1 }

  /// The theme as a seed has it: three more such bits say of encrypted folders whether letters have large enclosures,
  /// whether the family is shared, and whether a device is forgotten for certain.
  func varied(by seed: UInt64) -> Theme {
    guard isSealed else { return self }
    var theme = self
    theme.isShared = seed >> 34 & 1 == 1
    theme.forgets = seed >> 35 & 1 == 1
    guard seed >> 33 & 1 == 1 else { return theme }
    theme.hasLargeValues = true
    for name in ["Enclosure", "PrivateLetter"] {
      guard let place = theme.schema.entities.firstIndex(where: { $0.name == name }) else { continue }
      theme.schema.entities[place].attributes.append(Attribute(name: "scannedPage", type: "file", isOptional: true))
    }
    return theme
  }

  typealias Entity = SimulatedSchema.Entity
  typealias Attribute = SimulatedSchema.Attribute
  typealias Reference = SimulatedSchema.Reference

  /// Registers, field groups, final deletes.
  static let notes = Theme(
    name: "notes",
    schema: SimulatedSchema(entities: [
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "text", type: "string"), Attribute(name: "rank", type: "int", isOptional: true),
          Attribute(name: "x", type: "int"), Attribute(name: "y", type: "int"),
        ], groups: [["x", "y"]]),
      Entity(name: "Secret", attributes: [Attribute(name: "text", type: "string")], deleteIsFinal: true),
    ]))

  /// Cascades, three deep; the lower one required.
  static let lists = Theme(
    name: "lists",
    schema: SimulatedSchema(entities: [
      Entity(name: "List", attributes: [Attribute(name: "title", type: "string")]),
      Entity(
        name: "Item", attributes: [Attribute(name: "rank", type: "int")],
        references: [Reference(name: "list", target: "List", rule: "cascade")]),
      Entity(
        name: "Part", attributes: [Attribute(name: "label", type: "string")],
        references: [Reference(name: "item", target: "Item", isRequired: true, rule: "cascade")]),
    ]))

  /// Unique values, alone and with a reference; effects that must count once.
  static let purchases = Theme(
    name: "purchases",
    schema: SimulatedSchema(entities: [
      Entity(
        name: "Purchase",
        attributes: [Attribute(name: "tx", type: "string", isOptional: true), Attribute(name: "amount", type: "int")],
        unique: [["tx"]]),
      Entity(
        name: "Grant", attributes: [Attribute(name: "kind", type: "int"), Attribute(name: "amount", type: "int")],
        references: [Reference(name: "purchase", target: "Purchase", isRequired: true, rule: "cascade")],
        unique: [["purchase", "kind"]]),
      Entity(
        name: "Spend", attributes: [Attribute(name: "amount", type: "int")],
        references: [Reference(name: "grant", target: "Grant")]),
    ]))

  /// Deny, nullify, required, a reference to the own entity.
  static let trips = Theme(
    name: "trips",
    schema: SimulatedSchema(entities: [
      Entity(name: "City", attributes: [Attribute(name: "name", type: "string")], unique: [["name"]]),
      Entity(name: "Trip", attributes: [Attribute(name: "title", type: "string")]),
      Entity(
        name: "Stop", attributes: [Attribute(name: "title", type: "string")],
        references: [
          Reference(name: "city", target: "City", rule: "deny"), Reference(name: "next", target: "Stop"),
          Reference(name: "trip", target: "Trip", isRequired: true, rule: "cascade"),
        ]),
    ]))

  /// Effects that happen once.
  static let effects = Theme(
    name: "effects",
    schema: SimulatedSchema(entities: [
      Entity(name: "Effect", attributes: [Attribute(name: "amount", type: "int")]),
      Entity(
        name: "Line", attributes: [Attribute(name: "amount", type: "int")],
        references: [Reference(name: "effect", target: "Effect", isRequired: true, rule: "cascade")]),
    ]),
    hasEffects: true)

  /// Large values, alone, in a group, below a cascade, and of records that may become one.
  static let photos = Theme(
    name: "photos",
    schema: SimulatedSchema(entities: [
      Entity(
        name: "Photo",
        attributes: [
          Attribute(name: "scan", type: "file", isOptional: true), Attribute(name: "rank", type: "int"),
          Attribute(name: "raw", type: "file", isOptional: true),
        ], groups: [["scan", "rank"]]),
      Entity(
        name: "Print", attributes: [Attribute(name: "scan", type: "file", isOptional: true)],
        references: [Reference(name: "photo", target: "Photo", rule: "cascade")]),
      Entity(
        name: "Sheet",
        attributes: [
          Attribute(name: "code", type: "string"), Attribute(name: "page", type: "file", isOptional: true),
        ], unique: [["code"]]),
    ]),
    hasLargeValues: true)

  /// Encrypted folders. Words and names are too long to stand in random bytes.
  static let letters = Theme(
    name: "letters",
    schema: SimulatedSchema(entities: [
      Entity(
        name: "Correspondent", attributes: [Attribute(name: "recipientName", type: "string")],
        unique: [["recipientName"]]),
      Entity(
        name: "PrivateLetter",
        attributes: [
          Attribute(name: "subjectLine", type: "string"), Attribute(name: "postage", type: "int", isOptional: true),
        ],
        references: [Reference(name: "addressee", target: "Correspondent")]),
      Entity(
        name: "Enclosure", attributes: [Attribute(name: "description", type: "string")],
        references: [Reference(name: "enclosedIn", target: "PrivateLetter", rule: "cascade")]),
    ]),
    isSealed: true,
    words: ["confidential amber", "confidential birch", "confidential cedar", "confidential dogwood"])

  /// Many-to-many links, of records that may become one.
  static let tags = Theme(
    name: "tags",
    schema: SimulatedSchema(entities: [
      Entity(name: "Note", attributes: [Attribute(name: "text", type: "string")], links: ["tags": "Tag"]),
      Entity(name: "Tag", attributes: [Attribute(name: "name", type: "string")], unique: [["name"]]),
    ]))

  /// One-to-one.
  static let badges = Theme(
    name: "badges",
    schema: SimulatedSchema(entities: [
      Entity(
        name: "Badge", attributes: [Attribute(name: "code", type: "int")],
        references: [Reference(name: "trip", target: "Trip", isExclusive: true)]),
      Entity(name: "Trip", attributes: [Attribute(name: "title", type: "string")]),
    ]))

  /// Some replicas do not know `mood` and `Memo` yet.
  static let skew = Theme(
    name: "skew",
    schema: SimulatedSchema(entities: [
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "text", type: "string"), Attribute(name: "mood", type: "string", isOptional: true),
        ]),
      Entity(
        name: "Memo", attributes: [Attribute(name: "text", type: "string")],
        references: [Reference(name: "note", target: "Note", rule: "cascade")]),
    ]),
    olderSchema: SimulatedSchema(entities: [
      Entity(name: "Note", attributes: [Attribute(name: "text", type: "string")])
    ]))
}
