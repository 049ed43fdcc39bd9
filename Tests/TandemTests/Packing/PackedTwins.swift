import Foundation
import Observation
import Tandem
import TestSupport

/// The same random work in several contexts, each with a store of its own, which differ in how early they pack objects.
struct PackedTwins {
  let contexts: [ModelContext]
  let rivals: [ModelContext]
  /// Per object, it and its twins.
  private(set) var groups: [[any Freight]] = []
  private(set) var taken: [String] = []
  private(set) var packedCount = 0
  private var random: SeededGenerator
  private var onceCount = 0

  private struct BreakOff: Error {}

  /// One container for each of `unpackedCounts`.
  init(_ containers: [ModelContainer], unpackedCounts: [Int], _ random: SeededGenerator) {
    contexts = containers.map { ModelContext($0) }
    rivals = containers.map { ModelContext($0) }
    self.random = random
    let undoes = self.random.oneIn(2)
    for (context, count) in zip(contexts, unpackedCounts) {
      context.unpackedCount = count
      if undoes { context.undoManager = UndoManager() }
    }
  }

  /// Where the twins differ; empty if nowhere.
  mutating func run(steps: Int) throws -> [String] {
    for _ in 0..<steps {
      let seed = random.next()
      let watched = random.oneIn(4) ? groups.randomElement(using: &random) ?? [] : []
      let told = watched.map { object in
        let told = Told()
        withObservationTracking {
          _ = object.values
        } onChange: {
          told.note()
        }
        return told
      }
      let answers = try act(seed)
      let differences = different("answers", answers) + different("told", told.map { "\($0.count)" }) + states()
      if !differences.isEmpty { return differences }
      packedCount += groups.count { $0[0]._$storage.isPacked }
      if groups.count > 30 { groups.removeFirst(15) }
    }
    return try end()
  }

  private func different(_ subject: String, _ answers: [String]) -> [String] {
    Set(answers).count < 2 ? [] : ["\(subject):"] + answers
  }

  private func states() -> [String] {
    for group in groups {
      let found = different("an object", group.map(\.state))
      if !found.isEmpty { return found }
    }
    return []
      + different("inserted", contexts.map { Self.list($0.insertedModelsArray) })
      + different("changed", contexts.map { Self.list($0.changedModelsArray) })
      + different("deleted", contexts.map { Self.list($0.deletedModelsArray) })
      + different("changes", contexts.map { "\($0.hasChanges)" })
  }

  private static func list(_ models: [any PersistentModel]) -> String {
    models.map { ($0 as? any Freight)?.values ?? "" }.joined(separator: "\n")
  }
}

// The steps.
extension PackedTwins {
  private mutating func act(_ seed: UInt64) throws -> [String] {
    var random = SeededGenerator(seed: seed)
    let group = groups.suffix(12).randomElement(using: &random)
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<10: insert(random.pick([.pallet, .pallet, .pallet, .sack, .largeSack, .rack]), random.next())
    case 10..<16: change(group, random.next())
    case 16..<19:
      note("delete", group)
      group?.forEach { object in object.modelContext.map { object.delete(from: $0) } }
    case 19, 20:
      note("insert again", group)
      for (context, object) in zip(contexts, group ?? []) { object.insert(into: context) }
    case 21..<24: link(random.next())
    case 24:
      taken.append("rollback")
      contexts.forEach { $0.rollback() }
    case 25, 26:
      let isRedo = random.oneIn(3)
      taken.append(isRedo ? "redo" : "undo")
      contexts.forEach { isRedo ? $0.undoManager?.redo() : $0.undoManager?.undo() }
    case 27: return try deleteWhere(random.next())
    case 28: return try rival(random.next())
    case 29: return try transact(random.next())
    case 30..<34: return try save()
    default: return try fetch(random.next())
    }
    return []
  }

  private mutating func note(_ step: String, _ group: [any Freight]?) {
    taken.append("\(step) \(group?.last?.state ?? "nothing")")
  }

  private mutating func insert(_ kind: FreightKind, _ seed: UInt64) {
    let objects = contexts.map { _ in kind.make(seed) }
    note("insert", objects)
    for (context, object) in zip(contexts, objects) { object.insert(into: context) }
    groups.append(objects)
  }

  private mutating func change(_ group: [any Freight]?, _ seed: UInt64) {
    group?.forEach { $0.change(seed) }
    note("change to", group)
  }

  private mutating func link(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // Links of what left are nobody's but the object's own.
    guard let racks = groups.filter({ $0[0] is Rack && !$0[0].isDeleted }).randomElement(using: &random),
      let pallets = groups.filter({ $0[0] is Pallet }).randomElement(using: &random)
    else { return }
    note("link", pallets)
    for case (let rack as Rack, let pallet as Pallet) in zip(racks, pallets) { rack.toggle(pallet, seed) }
  }

  private mutating func deleteWhere(_ seed: UInt64) throws -> [String] {
    let number = Int(seed % 10)
    taken.append("delete each pallet with number \(number)")
    return try contexts.map { context in
      try answer { try context.delete(model: Pallet.self, where: #Predicate { $0.number == number }) }
    }
  }

  /// Another context saves a pallet, or deletes some.
  private mutating func rival(_ seed: UInt64) throws -> [String] {
    var random = SeededGenerator(seed: seed)
    let (deletes, looks, other) = (random.oneIn(3), random.oneIn(2), random.next())
    taken.append("a rival \(deletes ? "deletes" : "saves")")
    return try zip(contexts, rivals).map { context, rival in
      if deletes {
        let number = Int(other % 10)
        try rival.delete(model: Pallet.self, where: #Predicate { $0.number == number })
      } else {
        let pallet = FreightKind.pallet.make(other)
        if (pallet as? Pallet)?.part?.isBroken == true { (pallet as? Pallet)?.part = nil }
        pallet.insert(into: rival)
      }
      let answer = try answer { try rival.save() }
      if answer != "done" { rival.rollback() }
      if looks { context.processPendingChanges() }
      return answer
    }
  }

  private mutating func transact(_ seed: UInt64) throws -> [String] {
    var random = SeededGenerator(seed: seed)
    let (throwsInside, isOnce, isKnown) = (random.oneIn(3), random.oneIn(2), random.oneIn(4))
    let (kind, other) = (random.pick([FreightKind.pallet, .pallet, .sack]), random.next())
    if isOnce, !isKnown { onceCount += 1 }
    let key = "step \(onceCount)"
    let objects = contexts.map { _ in kind.make(other) }
    note("transaction\(isOnce ? " \(key)" : "")\(throwsInside ? " that throws" : ""), insert", objects)
    let answers = try zip(contexts, objects).map { context, object in
      try answer {
        let block = {
          object.insert(into: context)
          if throwsInside { throw BreakOff() }
        }
        if isOnce {
          try context.transaction(once: key, block: block)
        } else {
          try context.transaction(block: block)
        }
      }
    }
    groups.append(objects)
    return answers
  }

  private mutating func save() throws -> [String] {
    taken.append("save")
    let (before, after) = (try contexts.map(view), try contexts.map { try view(ModelContext($0.container)) })
    let answers = try contexts.map { context in try answer { try context.save() } }
    taken.append(answers[0])
    for (place, context) in contexts.enumerated() {
      let isSaved = answers[place] == "done"
      let stored = try view(ModelContext(context.container))
      // A link can hold a pallet that a cascade would take, or be of one that turns out to be another.
      if isSaved, try view(context) != stored {
        return ["after a save, here and elsewhere", stored, try view(context)]
      }
      if isSaved, context.hasChanges { return ["a save leaves changes", ""] }
      if !isSaved, try view(context) != before[place] { return ["before and after a refused save", "\(place)"] }
      if !isSaved, stored != after[place] { return ["a refused save wrote", "\(place)"] }
    }
    return answers
  }

  private static func predicate(_ number: Int, _ random: inout SeededGenerator) -> Predicate<Pallet>? {
    switch Int.random(in: 0..<7, using: &random) {
    case 0: #Predicate { $0.number == number }
    case 1: #Predicate { $0.mood == nil }
    case 2: #Predicate { $0.text < "m" }
    case 3: #Predicate { $0.weight ?? 0 > 100 && $0.isLight != true }
    case 4: #Predicate { $0.code?.contains("1") == true }
    case 5: #Predicate { $0.place == nil || $0.link != nil }
    default: nil
    }
  }

  private static func orders() -> [[SortDescriptor<Pallet>]] {
    [
      [], [SortDescriptor(\.text), SortDescriptor(\.number)], [SortDescriptor(\.mood, order: .reverse)],
      [SortDescriptor(\.price), SortDescriptor(\.weight)],
    ]
  }

  private mutating func fetch(_ seed: UInt64) throws -> [String] {
    var random = SeededGenerator(seed: seed)
    let number = Int.random(in: 0..<10, using: &random)
    var descriptor = FetchDescriptor<Pallet>(
      predicate: Self.predicate(number, &random), sortBy: random.pick(Self.orders()))
    if random.oneIn(3) { descriptor.fetchLimit = Int.random(in: 0...4, using: &random) }
    if random.oneIn(4) { descriptor.fetchOffset = Int.random(in: 0...3, using: &random) }
    descriptor.includePendingChanges = !random.oneIn(4)
    let form = Int.random(in: 0..<5, using: &random)
    taken.append("fetch")
    return try contexts.map { context in
      var found: [any PersistentModel] = []
      let answer = try answer {
        switch form {
        case 0: try context.enumerate(descriptor, batchSize: 3) { (pallet: Pallet) in found.append(pallet) }
        case 1: found = try context.fetchIdentifiers(descriptor).map { context.model(for: $0) }
        case 2: found = try context.fetch(FetchDescriptor<Sack>(sortBy: [SortDescriptor(\.name)]))
        case 3: found = Array(try context.fetch(descriptor, batchSize: 2))
        default: found = try context.fetch(descriptor)
        }
      }
      return "\(answer) \(try context.fetchCount(descriptor)) \(Self.list(found))"
    }
  }
}

// What must hold.
extension PackedTwins {
  private func answer(_ body: () throws -> Void) throws -> String {
    do {
      try body()
      return "done"
    } catch let error as SwiftDataError {
      return "\(error.code)"
    } catch is BreakOff {
      return "broken off"
    }
  }

  private func view(_ context: ModelContext) throws -> String {
    let all: [any PersistentModel] =
      try context.fetch(FetchDescriptor<Pallet>()) + context.fetch(FetchDescriptor<Sack>())
      + context.fetch(FetchDescriptor<Rack>())
    return Self.list(all.filter { !($0 is Pallet) }) + "\n"
      + all.compactMap { $0 as? Pallet }.map(Self.stored).joined(separator: "\n")
  }

  /// Without what is in no store.
  private static func stored(_ pallet: Pallet) -> String {
    let (zoom, seen) = (pallet.zoom.map { "Optional(\"\($0)\")" } ?? "nil", " \(pallet.seen)")
    return String(pallet.values.dropLast(seen.count)).replacingOccurrences(of: zoom, with: "nil")
  }

  /// All is saved, and the stores and their histories are equal.
  private mutating func end() throws -> [String] {
    for group in groups {
      for case let pallet as Pallet in group where pallet.part?.isBroken == true { pallet.part = nil }
    }
    if try save().contains(where: { $0 != "done" }) { contexts.forEach { $0.rollback() } }
    return different("stores", try contexts.map { try view(ModelContext($0.container)) })
      + different("histories", try contexts.map(history))
  }

  private func history(_ context: ModelContext) throws -> String {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map { transaction in
      transaction.changes.map { change in
        let entity = change.changedPersistentIdentifier.entityName
        return switch change {
        case .insert: "+ \(entity)"
        case .update(let update as DefaultHistoryUpdate<Pallet>): "~ \(entity) \(update.updatedAttributes.count)"
        case .update: "~ \(entity)"
        case .delete(let delete as DefaultHistoryDelete<Pallet>):
          "- \(entity) \(delete.tombstone[\.code] as? String ?? "no code")"
        case .delete: "- \(entity)"
        }
      }.joined(separator: ", ")
    }.joined(separator: "\n")
  }
}
