import Foundation
import Tandem
import TestSupport

/// The same random work in several contexts, each with a store of its own, which differ in how early they let go of
/// inserted objects that nobody else holds.
struct UnheldTwins {
  let contexts: [ModelContext]
  private let rivals: [ModelContext]
  /// Per object that is held, it and its twins.
  private var held: [[Ingot]] = []
  /// Per object that was inserted since the last save, held or not, its identifier and those of its twins. Which saved
  /// objects are registered differs.
  private var known: [[PersistentIdentifier]] = []
  private(set) var taken: [String] = []
  /// How many objects a context had let go of, added up over all steps.
  private(set) var unheldCount = 0
  private var random: SeededGenerator
  private var onceCount = 0

  /// One container for each of `unpackedCounts`.
  init(_ containers: [ModelContainer], unpackedCounts: [Int], _ random: SeededGenerator) {
    contexts = containers.map { ModelContext($0) }
    rivals = containers.map { ModelContext($0) }
    self.random = random
    for (context, count) in zip(contexts, unpackedCounts) { context.unpackedCount = count }
  }

  /// Where the twins differ; empty if nowhere.
  mutating func run(steps: Int) throws -> [String] {
    for _ in 0..<steps {
      let answers = try act()
      unheldCount += contexts.reduce(0) { $0 + $1.unheldCount }
      if Set(answers).count > 1 { return answers }
    }
    _ = try save()
    contexts.forEach { $0.rollback() }
    let ends = try contexts.map { try stored($0) }
    return Set(ends).count > 1 ? ends : []
  }

  private mutating func act() throws -> [String] {
    let seed = random.next()
    switch Int.random(in: 0..<50, using: &random) {
    case 0..<30: insert(isHeld: random.oneIn(4), seed)
    case 30..<33: change(seed)
    case 33: delete(seed)
    case 34: link(seed)
    case 35: return try rival(seed)
    case 36, 37: return look(seed)
    case 38: return try fetch(seed)
    case 39: return try deleteWhere(seed)
    case 40:
      taken.append("rollback")
      contexts.forEach { $0.rollback() }
      known = []
    case 41: return try saveOnce(seed)
    case 42: held = []
    case 43..<47: return try save()
    default: return contexts.map { "\($0.hasChanges)" }
    }
    return []
  }

  private mutating func insert(isHeld: Bool, _ seed: UInt64) {
    let ingots = contexts.map { _ in Ingot(seed) }
    taken.append("insert \(ingots[0].values)\(isHeld ? ", held" : "")")
    zip(contexts, ingots).forEach { $0.insert($1) }
    known.append(ingots.map(\.persistentModelID))
    if isHeld { held.append(ingots) }
  }

  private mutating func change(_ seed: UInt64) {
    let group = held.randomElement(using: &random)
    group?.forEach { $0.change(seed) }
    taken.append("change to \(group?[0].values ?? "nothing")")
  }

  private mutating func delete(_ seed: UInt64) {
    guard let group = held.randomElement(using: &random) else { return }
    taken.append("delete \(group[0].values)")
    group.forEach { $0.modelContext?.delete($0) }
    if seed % 2 == 0 {
      taken.append("insert again")
      zip(contexts, group).forEach { $0.insert($1) }
    }
  }

  private mutating func link(_ seed: UInt64) {
    let group = held.filter { !$0[0].isDeleted && $0[0].modelContext != nil }.randomElement(using: &random)
    taken.append("a vault with \(group?[0].values ?? "nothing")")
    for (place, context) in contexts.enumerated() {
      let vault = Vault(name: "\(seed % 10)")
      context.insert(vault)
      if seed % 3 == 0 { vault.best = group?[place] } else { vault.ingots = group.map { [$0[place]] } ?? [] }
    }
  }

  private mutating func rival(_ seed: UInt64) throws -> [String] {
    taken.append("a rival saves \(Ingot(seed).values)")
    return try rivals.map { rival in
      rival.insert(Ingot(seed))
      return try answer { try rival.save() }
    }
  }

  /// One object by its identifier, or all of them.
  private mutating func look(_ seed: UInt64) -> [String] {
    taken.append("look")
    let ids = known.randomElement(using: &random)
    return contexts.enumerated().map { place, context in
      switch seed % 3 {
      case 0: return context.insertedModelsArray.map(Self.values).joined(separator: "\n")
      case 1:
        let found: Ingot? = ids.flatMap { context.registeredModel(for: $0[place]) }
        return found?.values ?? "nothing"
      default:
        guard let id = ids?[place] else { return "nothing" }
        let found = context.model(for: id)
        return Self.values(found) + "\(found.isDeleted) \(found.hasChanges) \(found.modelContext === context)"
      }
    }
  }

  private mutating func fetch(_ seed: UInt64) throws -> [String] {
    taken.append("fetch")
    let number = Int(seed % 12)
    let descriptor = FetchDescriptor<Ingot>(
      predicate: seed % 2 == 0 ? #Predicate { $0.number > number } : nil,
      sortBy: [SortDescriptor(\.number), SortDescriptor(\.side), SortDescriptor(\.text)])
    return try contexts.map { context in
      "\(try context.fetchCount(descriptor)) \(try context.fetch(descriptor).map(\.values))"
    }
  }

  private mutating func deleteWhere(_ seed: UInt64) throws -> [String] {
    let number = Int(seed % 12)
    taken.append("delete each ingot with number \(number)")
    return try contexts.map { context in
      try answer { try context.delete(model: Ingot.self, where: #Predicate { $0.number == number }) }
    }
  }

  private mutating func saveOnce(_ seed: UInt64) throws -> [String] {
    if seed % 3 > 0 { onceCount += 1 }
    let key = "step \(onceCount)"
    taken.append("transaction \(key), insert \(Ingot(seed).values)")
    known = []
    return try contexts.map { context in
      try answer { try context.transaction(once: key) { context.insert(Ingot(seed)) } }
    }
  }

  private mutating func save() throws -> [String] {
    taken.append("save")
    let answers = try contexts.map { context in try answer { try context.save() } }
    taken.append(answers[0])
    guard answers[0] == "done" else { return answers }
    // Which objects stay registered differs, and what became of them does not.
    let found = try contexts.map { try stored($0) }
    let named = contexts.indices.map { place in
      known.map { Self.values(contexts[place].model(for: $0[place])) }.joined(separator: "\n")
    }
    let now = contexts.indices.map { place in
      held.map { "\($0[place].values) \($0[place].isDeleted)" }.joined(separator: "\n")
    }
    known = []
    return contexts.indices.map { "\(found[$0])\n\(named[$0])\n\(now[$0])" }
  }

  private func answer(_ body: () throws -> Void) throws -> String {
    do {
      try body()
      return "done"
    } catch let error as SwiftDataError {
      return "\(error.code)"
    }
  }

  private static func values(_ model: any PersistentModel) -> String { (model as? Ingot)?.values ?? "another" }

  /// What the store and its history have, as a context sees it that knows nothing.
  private func stored(_ other: ModelContext) throws -> String {
    let context = ModelContext(other.container)
    let ingots = try context.fetch(FetchDescriptor<Ingot>()).map(\.values)
    let vaults = try context.fetch(FetchDescriptor<Vault>()).map(\.values)
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map { transaction in
      transaction.changes.map { "\($0.changedPersistentIdentifier.entityName)" }.joined(separator: ", ")
    }
    return (ingots + vaults + history).joined(separator: "\n")
  }
}

/// Has no property outside of its storage, so that its context may let go of an object.
@Model final class Ingot {
  #Unique<Ingot>([\.number], [\.side, \.place])
  #Index<Ingot>([\.text])
  var number: Int
  var side: String
  var place: Int?
  var text = ""
  var note: String?
  var season = Season.spring
  var weight: Double?

  init(_ seed: UInt64) {
    number = Int(seed % 40)
    side = seed % 7 < 3 ? "l" : "r"
    place = seed % 5 == 0 ? Int(seed % 11) : nil
    text = ["", "t\(seed % 100)", "a text of more than fifteen bytes, \(seed)"][Int(seed % 3)]
    change(seed / 3)
  }

  /// Sets one property.
  func change(_ seed: UInt64) {
    switch seed % 5 {
    case 0: note = seed % 2 == 0 ? nil : String(repeating: "note ", count: Int(seed % 300))
    case 1: season = Season.allCases[Int(seed % 4)]
    case 2: weight = seed % 3 == 0 ? nil : Double(seed % 1_000) / 7
    case 3: number = Int(seed % 40)
    default: text = "changed \(seed % 1_000)"
    }
  }

  var values: String {
    "ingot \(number) \(side) \(place ?? -1) \(text) \(note?.count ?? -1) \(season) \(weight ?? -1)"
  }
}

/// Holds ingots, which do not know it.
@Model final class Vault {
  var name: String
  var best: Ingot?
  var ingots: [Ingot] = []

  init(name: String) { self.name = name }

  var values: String { "vault \(name) \(best?.number ?? -1) \(ingots.map(\.number).sorted())" }
}
