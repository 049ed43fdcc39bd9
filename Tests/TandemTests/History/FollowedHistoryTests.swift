import Foundation
import RecordStore
import RecordSync
import Tandem
import TestSupport
import Testing

@Model private class Lantern {
  @Attribute(.unique) var call: String
  var mark = 0
  var jetty: Jetty?
  init(call: String) { self.call = call }
}

@Model private final class Beacon: Lantern {
  var beams = 1
  override init(call: String) { super.init(call: call) }
}

@Model private final class Jetty {
  @Attribute(.unique) var name: String
  var mark = 0
  @Relationship(deleteRule: .cascade, inverse: \Lantern.jetty) var lanterns: [Lantern] = []
  init(name: String) { self.name = name }
}

@Model private final class Bollard {
  var mark = 0
  var jetty: Jetty
  init(jetty: Jetty) { self.jetty = jetty }
}

/// An app that knows of its objects by history alone: on each of three devices, whose records become one by a unique
/// value, go with others and come back.
struct FollowedHistoryTests {
  private static let types: [any PersistentModel.Type] = [Lantern.self, Beacon.self, Jetty.self, Bollard.self]

  @Test func `history leads to what a fetch gives, also of objects that merges hide and show`() async throws {
    var random = SeededGenerator.announced()
    for _ in 0..<(TestLength.isLong ? 200 : 3) {
      let seed = random.next()
      let failure = try await run(SeededGenerator(seed: seed))
      guard failure.isEmpty else {
        Issue.record("seed \(random.seed)\n\(failure.suffix(60).joined(separator: "\n"))")
        return
      }
    }
  }

  private func run(_ generator: SeededGenerator) async throws -> [String] {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let names = ["a", "b", "c"]
    var followers = try names.map { name in
      let store = folder.appending(path: "\(name)/port/port.store")
      try FileManager.default.createDirectory(at: store.deletingLastPathComponent(), withIntermediateDirectories: true)
      var configuration = ModelConfiguration(url: store)
      configuration.durability = .relaxed
      return Follower(try ModelContainer(for: Schema(Self.types), configurations: configuration))
    }
    let devices = try names.map { try DeviceDirectory(folder.appending(path: $0)) }
    var port = Port(generator)
    for _ in 0..<60 {
      let number = Int.random(in: 0..<3, using: &port.random)
      for _ in 0...Int.random(in: 0..<3, using: &port.random) {
        try port.work(on: followers[number].container, named: names[number])
      }
      if port.random.oneIn(2) {
        let other = (number + 1 + Int.random(in: 0..<2, using: &port.random)) % 3
        port.taken.append("\(names[number]) meets \(names[other])")
        _ = try await DeviceSync().synchronize(devices[number], devices[other])
      }
      for index in followers.indices where !port.random.oneIn(3) {
        let failure = try followers[index].follow()
        if !failure.isEmpty { return port.taken + ["on \(names[index])"] + failure }
      }
    }
    for follower in followers { #expect(try follower.container.store.integrityViolations() == []) }
    return []
  }
}

private struct Port {
  var random: SeededGenerator
  var taken: [String] = []

  init(_ random: SeededGenerator) { self.random = random }

  private mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  /// Some changes in a context of their own.
  mutating func work(on container: ModelContainer, named name: String) throws {
    let context = ModelContext(container)
    for _ in 0...number(2) {
      let lanterns = try context.fetch(FetchDescriptor<Lantern>(sortBy: [SortDescriptor(\.call)]))
      let jetties = try context.fetch(FetchDescriptor<Jetty>(sortBy: [SortDescriptor(\.name)]))
      let bollards = try context.fetch(FetchDescriptor<Bollard>(sortBy: [SortDescriptor(\.mark)]))
      let (lantern, jetty) = (lanterns.randomElement(using: &random), jetties.randomElement(using: &random))
      let (kind, value) = (number(14), number(5))
      taken.append("\(name): \(kind) \(value) \(lantern?.call ?? "-") \(jetty?.name ?? "-")")
      switch kind {
      case 0...1:
        let new = value < 2 ? Beacon(call: "l\(value)") : Lantern(call: "l\(value)")
        context.insert(new)
        new.mark = number(100)
        new.jetty = jetty
      case 2...3: context.insert(Jetty(name: "j\(value)"))
      case 4: if let jetty { context.insert(Bollard(jetty: jetty)) }
      case 5: if let lantern { context.delete(lantern) }
      case 6: if let jetty { context.delete(jetty) }
      case 7: if let bollard = bollards.randomElement(using: &random) { context.delete(bollard) }
      case 8: lantern?.mark = number(100)
      case 9: jetty?.mark = number(100)
      case 10: lantern?.jetty = value == 0 ? nil : jetty
      case 11: lantern?.call = "l\(number(7))"
      case 12: jetty?.name = "j\(number(7))"
      default: if let bollard = bollards.randomElement(using: &random), let jetty { bollard.jetty = jetty }
      }
    }
    do {
      try context.save()
    } catch {
      taken.append("refused: \(error)")
    }
  }
}

/// What an app knows that reads history, and of objects those that history names.
private struct Follower {
  let container: ModelContainer
  private var token: DefaultHistoryToken?
  private var known: [PersistentIdentifier.ID: String] = [:]

  init(_ container: ModelContainer) { self.container = container }

  /// The differences between what it knows now and what a fetch gives.
  mutating func follow() throws -> [String] {
    let context = ModelContext(container)
    let shown = try objects(context)
    var failure: [String] = []
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token { descriptor.predicate = #Predicate { $0.token > token } }
    var named: Set<PersistentIdentifier.ID> = []
    var changes: [String] = []
    for transaction in try context.fetchHistory(descriptor) {
      for change in transaction.changes {
        let identifier = change.changedPersistentIdentifier
        let isKnown = known[identifier.id] != nil
        changes.append("\(transaction.transactionIdentifier) \(change.word) \(identifier)")
        switch change {
        case .insert:
          if isKnown { failure.append("inserted twice: \(identifier)") }
          known[identifier.id] = ""
        case .update: if !isKnown { failure.append("updated, and not known: \(identifier)") }
        case .delete:
          if !isKnown { failure.append("deleted, and not known: \(identifier)") }
          known[identifier.id] = nil
        }
        named.insert(identifier.id)
      }
      token = transaction.token
    }
    for id in named where known[id] != nil { known[id] = shown[id] ?? "missing" }
    for id in Set(known.keys).union(shown.keys) where known[id] != shown[id] {
      failure.append("\(id) is known as \(known[id] ?? "none") and is \(shown[id] ?? "none")")
    }
    return failure.isEmpty ? [] : changes + failure
  }

  private func objects(_ context: ModelContext) throws -> [PersistentIdentifier.ID: String] {
    var shown: [PersistentIdentifier.ID: String] = [:]
    for lantern in try context.fetch(FetchDescriptor<Lantern>()) {
      let jetty = lantern.jetty.map { "\($0.persistentModelID.id)" } ?? "none"
      shown[lantern.persistentModelID.id] =
        "\(type(of: lantern)) \(lantern.call) \(lantern.mark) \((lantern as? Beacon)?.beams ?? 0) \(jetty)"
    }
    for jetty in try context.fetch(FetchDescriptor<Jetty>()) {
      shown[jetty.persistentModelID.id] = "\(jetty.name) \(jetty.mark)"
    }
    for bollard in try context.fetch(FetchDescriptor<Bollard>()) {
      shown[bollard.persistentModelID.id] = "\(bollard.mark) \(bollard.jetty.persistentModelID.id)"
    }
    return shown
  }
}

extension Tandem.HistoryChange {
  fileprivate var word: String {
    switch self {
    case .insert: "insert"
    case .update: "update"
    case .delete: "delete"
    }
  }
}
