package import LMDB

/// The tables of a store. The FileFormat article describes their keys and values.
package struct NamedDatabases: Sendable {
  package let meta: Database
  /// Visible records of each entity, by entity number.
  package let records: [Database]
  /// By index number; those that share a tree are its sections.
  package let indexes: [Int: Database]
  /// The trees of all indexes.
  let indexTrees: [Database]
  package let hidden: Database
  package let backReferences: Database
  package let claims: Database
  /// A table of an earlier build: when members of alias classes got their values. Not read any more.
  package let classClaims: Database
  /// Nil in a store of an earlier build that this one has not written to.
  package let classTables: ClassTables?
  package let history: Database
  package let dots: Database
  package let aliases: Database
  package let attachments: Database
  /// The once ledger. Nil in a store of an earlier build that this one has not written to.
  package let once: Database?

  enum Name {
    static let meta = "meta"
    static let hidden = "hidden"
    static let backReferences = "backrefs"
    static let claims = "claims"
    static let classClaims = "classclaims"
    static let history = "history"
    static let dots = "dots"
    static let aliases = "aliases"
    static let attachments = "attachments"
    static let once = "once"
    static func records(of entity: EntityNumber) -> String { "e\(entity)" }
    /// The name of the indexes that share a tree.
    static func indexes(of entity: EntityNumber) -> String { "xe\(entity)" }
    static func tree(of index: CatalogueIndex, _ entity: EntityNumber) -> String {
      index.sharesTree ? indexes(of: entity) : "x\(index.number)"
    }
  }

  /// The tables that a store with this catalogue has, but for ``addedNames``.
  static func names(for catalogue: Catalogue) -> [String] {
    [
      Name.meta, Name.hidden, Name.backReferences, Name.claims, Name.classClaims, Name.history, Name.dots, Name.aliases,
      Name.attachments,
    ] + catalogue.entities.map { Name.records(of: $0.number) }
      + indexTreeNames(for: catalogue)
  }

  private static func indexTreeNames(for catalogue: Catalogue) -> [String] {
    catalogue.entities.flatMap { entity in
      var names: [String] = []
      for index in entity.indexes {
        let name = Name.tree(of: index, entity.number)
        // Most indexes of an entity share one tree, so there is next to nothing to look through.
        if !names.contains(name) { names.append(name) }
      }
      return names.sorted()
    }
  }

  /// Whether an opening is soon followed by reads in a table of that name: the catalogue's, of records or of an index.
  static func isReadFirst(_ name: String) -> Bool {
    name == Name.meta || name.hasPrefix("e") || name.hasPrefix("x")
  }

  /// The bytes that the names of the tables leave in the page of LMDB that lists them, less a reserve for what is not
  /// foreseen.
  static func freeListByteCount(for catalogue: Catalogue) -> Int {
    // A page of 4 KiB less its head; beside each name a node's head, its place and what LMDB knows of the table.
    let (pageByteCount, tableByteCount, reserve) = (4_080, 8 + 2 + 48 + 1, 256)
    return (names(for: catalogue) + addedNames).reduce(pageByteCount - reserve) {
      $0 - tableByteCount - $1.utf8.count
    }
  }

  /// Tables that stores of earlier builds lack; the first commit makes them.
  static let addedNames = ClassTables.Name.all + [Name.once]

  /// Whether the file has all the tables that commits of this build write.
  var isComplete: Bool { classTables != nil && once != nil }

  /// Takes the tables from `opened`, which has all of ``names(for:)``.
  init(of catalogue: Catalogue, _ opened: [String: Database]) {
    func table(_ name: String) -> Database {
      guard let database = opened[name] else { preconditionFailure("the table \(name) was opened before") }
      return database
    }
    meta = table(Name.meta)
    records = catalogue.entities.map { table(Name.records(of: $0.number)) }
    var indexes: [Int: Database] = [:]
    for entity in catalogue.entities {
      for index in entity.indexes {
        let tree = table(Name.tree(of: index, entity.number))
        indexes[index.number] = index.sharesTree ? tree.section(UInt16(index.number)) : tree
      }
    }
    self.indexes = indexes
    indexTrees = Self.indexTreeNames(for: catalogue).map(table)
    hidden = table(Name.hidden)
    backReferences = table(Name.backReferences)
    claims = table(Name.claims)
    classClaims = table(Name.classClaims)
    classTables = ClassTables(opened)
    history = table(Name.history)
    dots = table(Name.dots)
    aliases = table(Name.aliases)
    attachments = table(Name.attachments)
    once = opened[Name.once]
  }

  package func index(_ number: Int) -> Database {
    guard let database = indexes[number] else {
      preconditionFailure("index \(number) is not one of this catalogue's")
    }
    return database
  }
}
