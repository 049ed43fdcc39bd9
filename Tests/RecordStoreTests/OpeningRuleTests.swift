import Foundation
import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// What may be at the path of a store, and what each way of opening makes of it.
struct OpeningRuleTests {
  enum Place: String, CaseIterable, Sendable {
    case nothing, emptyDirectory, remains, emptyData, file, foreignFiles, foreignData, store, storeByLink, backup
  }

  enum Way: String, CaseIterable, Sendable {
    case writing, reading, withoutCreating, withoutSchema, readingWithoutSchema
  }

  /// The code by place and way; nil where the store is opened.
  static let outcomes: [Place: [Way: StoreError.Code]] = [
    .nothing: [
      .reading: .notFound, .withoutCreating: .notFound, .withoutSchema: .notFound, .readingWithoutSchema: .notFound,
    ],
    .emptyDirectory: [
      .reading: .notFound, .withoutCreating: .notFound, .withoutSchema: .notFound, .readingWithoutSchema: .notFound,
    ],
    // Files that hold no data, as a creation leaves them that was cut off.
    .remains: [
      .reading: .notFound, .withoutCreating: .notFound, .withoutSchema: .notFound, .readingWithoutSchema: .notFound,
    ],
    .emptyData: [
      .reading: .notFound, .withoutCreating: .notFound, .withoutSchema: .notFound, .readingWithoutSchema: .notFound,
    ],
    .file: everyWay(.notAStore), .foreignFiles: everyWay(.notAStore), .foreignData: everyWay(.notAStore),
    .store: [:], .storeByLink: [:],
    .backup: [.writing: .readOnly, .withoutCreating: .readOnly, .withoutSchema: .readOnly],
  ]

  private static func everyWay(_ code: StoreError.Code) -> [Way: StoreError.Code] {
    Dictionary(uniqueKeysWithValues: Way.allCases.map { ($0, code) })
  }

  private func configuration(_ url: URL, _ way: Way) -> StoreConfiguration {
    StoreConfiguration(
      url: url, isReadOnly: way == .reading || way == .readingWithoutSchema, createsIfMissing: way != .withoutCreating,
      durability: .unsafeNoFlush, mapSizeBytes: 64 << 20)
  }

  private func fill(_ place: Place, at url: URL) throws {
    let files = FileManager.default
    func makeStore(at url: URL) throws {
      let store = try RecordStore.open(configuration(url, .writing), schema: .fixture)
      try store.save(FixtureNames(store).insert("Note", fixtureID(1)))
    }
    switch place {
    case .nothing: return
    case .file: return try Data("text".utf8).write(to: url)
    case .store: return try makeStore(at: url)
    case .storeByLink:
      let real = url.deletingLastPathComponent().appendingPathComponent("real.store")
      try makeStore(at: real)
      return try files.createSymbolicLink(at: url, withDestinationURL: real)
    case .backup:
      let store = try RecordStore.open(StoreConfiguration(url: nil), schema: .fixture)
      try store.save(FixtureNames(store).insert("Note", fixtureID(1)))
      try store.backup(to: url)
      return
    case .emptyDirectory, .remains, .emptyData, .foreignFiles, .foreignData: break
    }
    try files.createDirectory(at: url, withIntermediateDirectories: false)
    switch place {
    case .remains:
      for name in ["creation.lock", "writer.lock", "notify", "opening", "lock.mdb"] {
        try Data().write(to: url.appendingPathComponent(name))
      }
    case .emptyData: try Data().write(to: url.appendingPathComponent("data.mdb"))
    case .foreignFiles: try Data("text".utf8).write(to: url.appendingPathComponent("notes.txt"))
    case .foreignData:
      let environment = try Environment.open(at: url.path, options: Environment.Options())
      try environment.write { transaction in
        let table = try transaction.createDatabase(named: "theirs")
        try transaction.put(table, key: [1], value: [2])
      }
    default: break
    }
  }

  @Test(arguments: Place.allCases, Way.allCases)
  func `a place is opened, made, or refused and left as it was`(place: Place, way: Way) throws {
    let folder = try makeTemporaryFolder()
    let url = folder.appendingPathComponent("test.store")
    try fill(place, at: url)
    let before = try contents(of: url)
    let hasSchema = way != .withoutSchema && way != .readingWithoutSchema
    let code = storeErrorCode {
      let store = try RecordStore.open(configuration(url, way), schema: hasSchema ? .fixture : nil)
      let isFilled = [.store, .storeByLink, .backup].contains(place)
      #expect(try store.isVisible("Note", fixtureID(1)) == isFilled)
      try expectSound(store)
    }
    #expect(code == Self.outcomes[place]?[way])
    if code != nil {
      let after = try contents(of: url)
      // LMDB enters each process that looks into its lock file.
      #expect(after.filter { $0.key != "lock.mdb" } == before.filter { $0.key != "lock.mdb" })
    }
    try FileManager.default.removeItem(at: folder)
  }

  /// The names in a directory with what they hold; a file is one without a name.
  private func contents(of url: URL) throws -> [String: Data] {
    switch try FileItem(at: url.path) {
    case nil: return [:]
    case .directory:
      var found: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
        let path = url.appendingPathComponent(name)
        found[name] = try FileItem(at: path.path) == .directory ? Data() : Data(contentsOf: path)
      }
      return found
    default: return ["": try Data(contentsOf: url)]
    }
  }

  @Test func `a link that leads nowhere and a place on no disk are named as what they are`() throws {
    let folder = try makeTemporaryFolder()
    let link = folder.appendingPathComponent("link.store")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "nowhere")
    func error(_ url: URL) -> StoreError? {
      #expect(throws: StoreError.self) { try RecordStore.open(StoreConfiguration(url: url), schema: .fixture) }
    }
    let nowhere = error(link)
    #expect(nowhere?.code == .notAStore)
    #expect(nowhere?.message == "\(link.path) is a link that leads nowhere: remove it, or choose another path")
    let elsewhere = error(try #require(URL(string: "https://example.org/notes.store")))
    #expect(elsewhere?.code == .invalidRequest)
    #expect(
      elsewhere?.message == "https://example.org/notes.store is a place of the kind https, and a store lies in a "
        + "directory: give its file URL")
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `a store in memory begins empty, and so needs a schema and the right to write`() throws {
    #expect(storeErrorCode { _ = try RecordStore.open(StoreConfiguration(url: nil)) } == .notFound)
    #expect(
      storeErrorCode { _ = try RecordStore.open(StoreConfiguration(url: nil, isReadOnly: true), schema: .fixture) }
        == .notFound)
    let (one, other) = (
      try RecordStore.open(StoreConfiguration(url: nil), schema: .fixture),
      try RecordStore.open(StoreConfiguration(url: nil), schema: .fixture)
    )
    try one.save(FixtureNames(one).insert("Note", fixtureID(1)))
    #expect(try !other.isVisible("Note", fixtureID(1)), "each is a store of its own")
    #expect(one.storeID != other.storeID)
  }

  @Test func `a schema that contradicts itself is refused before anything is made`() throws {
    let folder = try makeTemporaryFolder()
    let url = folder.appendingPathComponent("test.store")
    let broken = StoreSchema(entities: [EntityDefinition(name: "A"), EntityDefinition(name: "A")])
    #expect(storeErrorCode { _ = try RecordStore.open(configuration(url, .writing), schema: broken) } == .invalidSchema)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    try FileManager.default.removeItem(at: folder)
  }

  // MARK: Rights

  static let rights: [(isShared: Bool, directory: Int, file: Int)] = [(false, 0o700, 0o600), (true, 0o770, 0o660)]

  @Test(arguments: rights) func `a store is for its user alone, or for its group`(
    isShared: Bool, directory: Int, file: Int
  ) throws {
    let folder = try makeTemporaryFolder()
    let url = folder.appendingPathComponent("test.store")
    var configuration = configuration(url, .writing)
    configuration.isSharedWithUserGroup = isShared
    do {
      let store = try RecordStore.open(configuration, schema: .fixture)
      try store.save(FixtureNames(store).insert("Note", fixtureID(1)))
    }
    func mode(_ path: String) throws -> Int {
      try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber).intValue
    }
    #expect(try mode(url.path) == directory)
    for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
      let path = url.appendingPathComponent(name).path
      guard try FileItem(at: path) != .directory else { continue }
      #expect(try mode(path) == file, "\(name)")
    }
    try FileManager.default.removeItem(at: folder)
  }

  // MARK: Handles

  /// Handles of one process on one store: each with its own rights, all with one state.
  @Test func `what one handle saves every other sees, and a reader's handle never saves`() throws {
    let temporary = try TemporaryStore()
    var reading = temporary.configuration
    reading.isReadOnly = true
    let (writer, reader) = (
      try RecordStore.open(temporary.configuration, schema: .fixture), try RecordStore.open(reading)
    )
    let names = try FixtureNames(writer)
    try writer.save(names.insert("Note", fixtureID(1)))
    for store in [temporary.store, writer, reader] { #expect(try store.isVisible("Note", fixtureID(1))) }
    let edit = names.insert("Note", fixtureID(2))
    let attempts: [() throws -> Void] = [
      { try reader.save(edit) }, { _ = try reader.commit(SaveRequest(attachments: [.init(key: [1], value: [1])])) },
      { try reader.trimHistory(through: 1) }, { try reader.erase() }, { try reader.adopt(storeID: fixtureID(9)) },
      { try reader.renewReplica() }, { try reader.noteExport(through: 1) },
    ]
    for (number, attempt) in attempts.enumerated() {
      #expect(storeErrorCode { try attempt() } == .readOnly, "attempt \(number)")
    }
    #expect(try temporary.store.read { try $0.lastTransactionNumber } == 1)
    try temporary.check()
  }

  @Test func `a save inside a save of the same store is refused, and the outer one goes on`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let inner = names.insert("Note", fixtureID(2))
      let result = try store.commit { _ throws -> (SaveRequest, StoreError.Code?) in
        let code = storeErrorCode { try store.save(inner) }
        return (SaveRequest(changes: [names.insert("Note", fixtureID(1))]), code)
      }
      #expect(result.1 == .invalidRequest && result.0.number == 1)
      #expect(try store.isVisible("Note", fixtureID(1)) && !store.isVisible("Note", fixtureID(2)))
    }
  }
}
