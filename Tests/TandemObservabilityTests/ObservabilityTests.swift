import Foundation
import InMemoryLogging
import Logging
import MetricsTestKit
import RecordStore
import RecordSync
import Synchronization
import TandemObservability
import TestSupport
import Testing

/// An observer hears all stores of the process, so each test reads the lines and figures of its own stores alone.
struct ObservabilityTests {
  private let handler = InMemoryLogHandler()
  private let metrics = TestMetrics()
  /// A value that no line may hold.
  private let secret = "tulip-1637"

  private func observe() -> Observability { Observability(logger: logger, metrics: metrics) }

  private var logger: Logger {
    var logger = Logger(label: "test") { [handler] _ in handler }
    logger.logLevel = .trace
    return logger
  }

  private func lines(of store: URL) -> [InMemoryLogHandler.Entry] {
    handler.entries.filter { $0.metadata["store"] == "\(store.path)" }
  }

  private func hasSecret() -> Bool { handler.entries.contains { "\($0.message) \($0.metadata)".contains(secret) } }

  private func counted(_ label: String, _ store: URL, _ others: (String, String)...) -> Int64 {
    metrics.counters.filter { $0.label == label && has($0.dimensions, store, others) }.map(\.totalValue).reduce(0, +)
  }

  private func recorded(_ label: String, _ store: URL) -> [Double] {
    metrics.recorders.filter { $0.label == label && has($0.dimensions, store, []) }.flatMap(\.values)
  }

  private func has(_ dimensions: [(String, String)], _ store: URL, _ others: [(String, String)]) -> Bool {
    ([("store", store.path)] + others).allSatisfy { wanted in dimensions.contains { $0 == wanted } }
  }

  private func insert(_ name: String, into store: RecordStore) throws {
    let names = try FixtureNames(store)
    try store.save(names.insert("City", RecordIDGenerator.shared.next(), ["name": .string(name)]))
  }

  @Test func `openings and saves are logged and counted, and values are in no line`() throws {
    let observability = observe()
    let temporary = try TemporaryStore()
    let url = temporary.store.url
    try insert(secret, into: temporary.store)
    try insert("\(secret) again", into: temporary.store)
    observability.end()
    try temporary.check()

    let lines = lines(of: url)
    #expect(lines.filter { $0.level == .notice }.map(\.message) == ["made a store"])
    #expect(lines.filter { $0.level == .debug }.map(\.message) == ["opened a store"])
    #expect(lines.filter { $0.level == .trace }.map(\.message) == ["saved", "saved"])
    #expect(!hasSecret())
    #expect(counted("tandem_openings_total", url) == 1)
    #expect(counted("tandem_saves_total", url) == 2)
    #expect(recorded("tandem_readers", url).first.map { $0 >= 1 } == true)
    #expect(recorded("tandem_map_bytes", url).first == Double(256 << 20))
    let commits = metrics.timers.filter { $0.label == "tandem_commit_seconds" && has($0.dimensions, url, []) }
    #expect(commits.flatMap(\.values).count == 2)
    #expect(commits.flatMap(\.values).allSatisfy { $0 > 0 })
  }

  @Test func `an opening that is refused is a warning with the reason's code`() throws {
    let observability = observe()
    defer { observability.end() }
    let folder = try makeTemporaryFolder()
    let url = folder.appending(path: "missing.store")
    let missing = StoreConfiguration(url: url, createsIfMissing: false)
    let refusal = #expect(throws: StoreError.self) { try RecordStore.open(missing) }
    #expect(refusal?.code == .notFound)
    try FileManager.default.removeItem(at: folder)
    #expect(lines(of: url).map(\.level) == [.warning])
    #expect(lines(of: url).first?.metadata["code"] == "notFound")
    #expect(counted("tandem_refusals_total", url, ("activity", "opening"), ("code", "notFound")) == 1)
    #expect(counted("tandem_openings_total", url) == 0)
  }

  @Test func `a save that a rule refuses is no trouble, and one that meets a busy store is`() throws {
    let observability = observe()
    defer { observability.end() }
    try withTemporaryStore(uniqueness: .throw) { store throws in
      try insert(secret, into: store)
      #expect(#expect(throws: StoreError.self) { try insert(secret, into: store) }?.code == .uniquenessViolation)
      let rule = try #require(lines(of: store.url).last)
      #expect(rule.level == .debug)
      #expect(rule.metadata["code"] == "uniquenessViolation")

      var configuration = store.configuration
      configuration.timeoutSeconds = 0.01
      let hasty = try RecordStore.open(configuration)
      _ = try WriterLock(store: store.url).withLock(timeoutSeconds: 5) {
        #expect(#expect(throws: StoreError.self) { try insert("rose", into: hasty) }?.code == .busy)
      }
      let busy = try #require(lines(of: store.url).last)
      #expect(busy.level == .warning)
      #expect(busy.metadata["code"] == "busy")
      #expect(busy.metadata["activity"] == "save")
      #expect(counted("tandem_refusals_total", store.url, ("activity", "save")) == 2)
      #expect(!hasSecret())
    }
  }

  @Test func `a migration is told with its versions, and one that is refused leaves its code`() throws {
    let observability = observe()
    defer { observability.end() }
    try withTemporaryStore { store throws in
      var next = StoreSchema.fixture
      next.version = SchemaVersion(9, 1, 0)
      next.entities.append(
        EntityDefinition(name: "Island", attributes: [AttributeDefinition(name: "name", type: .string)]))
      _ = try store.migrate(to: next)
      let migrated = try #require(lines(of: store.url).last { $0.level == .notice })
      #expect(migrated.message == "migrated a store")
      #expect(migrated.metadata["to"] == "9.1.0")
      #expect(counted("tandem_migrations_total", store.url) == 1)

      let city = try #require(next.entities.firstIndex { $0.name == "City" })
      let name = try #require(next.entities[city].attributes.firstIndex { $0.name == "name" })
      next.entities[city].attributes[name].type = .data
      let refusal = #expect(throws: StoreError.self) { try RecordStore.open(store.configuration, schema: next) }
      #expect(refusal?.code == .incompatibleSchema)
      let refused = try #require(lines(of: store.url).last { $0.level == .warning })
      #expect(refused.metadata["activity"] == "opening")
      #expect(counted("tandem_refusals_total", store.url, ("activity", "opening")) == 1)
    }
  }

  @Test func `synchronisations are logged and counted with what they moved`() async throws {
    let observability = observe()
    defer { observability.end() }
    let (phone, laptop) = (try TemporaryStore(), try TemporaryStore())
    let folder = phone.folder.appending(path: "exchange")
    try insert(secret, into: phone.store)
    var options = SyncOptions()
    options.storeID = phone.store.storeID
    for store in [phone.store, laptop.store] {
      _ = try await SyncEngine(store: store, folder: folder, options: options).sync()
    }
    #expect(counted("tandem_sync_exported_total", phone.store.url) == 1)
    #expect(counted("tandem_sync_merged_total", laptop.store.url) == 1)
    #expect(recorded("tandem_sync_lag", laptop.store.url).last == 0)
    #expect(lines(of: phone.store.url).contains { $0.message == "published" && $0.level == .debug })
    let ended = lines(of: laptop.store.url).filter { $0.message == "a synchronisation ended" && $0.level == .info }
    #expect(ended.map { $0.metadata["merged"] } == ["1"])
    #expect(!hasSecret())
    try phone.check()
    try laptop.check()
  }

  @Test func `nothing is told after the end of an observation`() throws {
    let observability = observe()
    try withTemporaryStore { store throws in
      observability.end()
      observability.end()
      let before = lines(of: store.url).count
      try insert("rose", into: store)
      #expect(before > 0)
      #expect(lines(of: store.url).count == before)
      #expect(counted("tandem_saves_total", store.url) == 0)
    }
  }

  @Test func `an event that nobody hears is not made`() {
    let feed = EventFeed<Int>()
    var made = 0
    func make() -> Int {
      made += 1
      return made
    }
    feed.send(make())
    #expect(made == 0)
    let observation = feed.observe { _ in }
    feed.send(make())
    #expect(made == 1)
    observation.end()
    feed.send(make())
    #expect(made == 1)
  }

  @Test func `the examples of the documentation compile and run`() throws {
    let observability = Observability(logger: Logger(label: "app.stores"))
    defer { observability.end() }

    let refusals = Mutex<[String]>([])
    let folder = try makeTemporaryFolder()
    let observation = StoreEvents.observe { event in
      if case .refused(let store, let activity, let code) = event {
        if store.hasPrefix(folder.path) { refusals.withLock { $0.append("\(activity.rawValue) \(code)") } }
      }
    }
    defer { observation.end() }
    let missing = StoreConfiguration(url: folder.appending(path: "missing.store"), createsIfMissing: false)
    #expect(#expect(throws: StoreError.self) { try RecordStore.open(missing) }?.code == .notFound)
    try FileManager.default.removeItem(at: folder)
    #expect(refusals.withLock { $0 } == ["opening notFound"])
  }
}
