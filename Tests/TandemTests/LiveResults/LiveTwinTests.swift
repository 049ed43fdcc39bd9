import Foundation
import Tandem
import TestSupport
import Testing

/// Random work in two contexts of a container, of which one has observers with random descriptors: after each step they
/// show what a fetch gives.
///
/// The other random tests of live results have one class, without rules of delete, and one descriptor.
struct LiveTwinTests {
  /// The long form makes it thousands of steps.
  @Test func `observers show what a fetch gives, whatever they look for and whatever has changed`() async throws {
    var random = SeededGenerator.announced()
    for _ in 0..<(TestLength.isLong ? 400 : 6) {
      let seed = random.next()
      try await withContainer(for: [Yard.self, Parcel.self]) { container in
        let twin = try LiveTwin(container, SeededGenerator(seed: seed))
        for _ in 0..<80 {
          let difference = try twin.step()
          guard difference.isEmpty else {
            Issue.record("seed \(random.seed)\n\((twin.taken.suffix(15) + difference).joined(separator: "\n"))")
            return
          }
        }
      }
    }
  }

  @Test func `what goes with a deleted object leaves the results with it, before the save`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let trip = Trip(code: "t")
      trip.stops = [Stop(place: "a")]
      context.insert(trip)
      try context.save()
      let observer = try ResultsObserver<Stop, Never>(fetchDescriptor: FetchDescriptor(), modelContext: context)
      #expect(observer.results.count == 1)
      context.delete(trip)
      #expect(observer.results.isEmpty)
      context.insert(trip)
      try context.save()
      #expect(observer.results.count == 1)
    }
  }

  @Test func `results without pending changes follow the saves of their own context`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      var stored = FetchDescriptor<Stop>()
      stored.includePendingChanges = false
      let observer = try ResultsObserver<Stop, Never>(fetchDescriptor: stored, modelContext: context)
      context.insert(Stop(place: "a"))
      #expect(observer.results.isEmpty)
      try context.save()
      #expect(observer.results.map(\.place) == ["a"])
    }
  }

  @Test func `a stored object shows again when the new one with its unique value takes another`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      context.insert(Tag(name: "a"))
      try context.save()
      let observer = try ResultsObserver<Tag, Never>(sortBy: [SortDescriptor(\.name)], modelContext: context)
      let tag = Tag(name: "a")
      context.insert(tag)
      #expect(observer.results.map { $0 === tag } == [true])
      tag.name = "b"
      try context.save()
      #expect(observer.results.map(\.name) == ["a", "b"])
    }
  }
}

@Model private final class Yard {
  var label: String
  @Relationship(deleteRule: .cascade, inverse: \Parcel.yard) var parcels: [Parcel] = []
  var above: Yard?
  @Relationship(deleteRule: .cascade, inverse: \Yard.above) var yards: [Yard] = []
  init(label: String) { self.label = label }
}

@Model private final class Parcel {
  @Attribute(.unique) var name: String
  var rank: Int?
  var weight = 0
  var mark = "m0"
  var words: [String] = []
  var yard: Yard?
  init(name: String) { self.name = name }
}

private final class LiveTwin {
  private let context: ModelContext
  private let other: ModelContext
  private var flat: [ResultsObserver<Parcel, Never>] = []
  private var inSections: [ResultsObserver<Parcel, String>] = []
  private var random: SeededGenerator
  private(set) var taken: [String] = []

  init(_ container: ModelContainer, _ random: SeededGenerator) throws {
    context = ModelContext(container)
    other = ModelContext(container)
    self.random = random
    context.undoManager = UndoManager()
    for _ in 0..<3 {
      flat.append(try ResultsObserver(fetchDescriptor: descriptor(), modelContext: context, isolation: nil))
    }
    for _ in 0..<2 {
      inSections.append(
        try ResultsObserver(fetchDescriptor: descriptor(), sectionBy: \.mark, modelContext: context, isolation: nil))
    }
  }

  private func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private func predicate() -> Predicate<Parcel>? {
    let (limit, label) = (number(6), "m\(number(4))")
    return switch number(9) {
    case 0: #Predicate { $0.weight > 2 }
    case 1: #Predicate { $0.yard?.label == label }
    case 2: #Predicate { $0.rank == nil }
    case 3: #Predicate { ($0.rank ?? 0) < limit }
    case 4: #Predicate { $0.words.count > 1 }
    case 5: #Predicate { $0.yard?.parcels.contains { $0.rank == nil } ?? false }
    case 6: #Predicate { $0.mark == label || $0.yard == nil }
    case 7: #Predicate { $0.yard?.above?.label == label }
    default: nil
    }
  }

  private func order() -> [SortDescriptor<Parcel>] {
    switch number(5) {
    case 0: [SortDescriptor(\.rank), SortDescriptor(\.name, order: .reverse)]
    case 1: [SortDescriptor(\.yard?.label), SortDescriptor(\.weight)]
    case 2: [SortDescriptor(\.name)]
    case 3: [SortDescriptor(\.weight, order: .reverse)]
    default: []
    }
  }

  private func descriptor() -> FetchDescriptor<Parcel> {
    var descriptor = FetchDescriptor<Parcel>(predicate: predicate(), sortBy: order())
    if random.oneIn(4) { descriptor.fetchLimit = number(6) }
    if random.oneIn(5) { descriptor.fetchOffset = number(4) }
    descriptor.includePendingChanges = !random.oneIn(6)
    return descriptor
  }
}

// The steps.
extension LiveTwin {
  /// Where an observer shows something else than a fetch gives; empty if none does.
  func step() throws -> [String] {
    let place = random.oneIn(3) ? other : context
    for _ in 0...number(3) { try edit(place) }
    if place === other || random.oneIn(4) { save(place) }
    if random.oneIn(8) { flat[0].filterBy = predicate() }
    if random.oneIn(8) { flat[0].sortBy = order() }
    if random.oneIn(9) { inSections[0].filterBy = predicate() }
    // Outside of any actor nobody takes in by itself what others save.
    if place === other { context.processPendingChanges() }
    var found: [String] = []
    for observer in flat where random.oneIn(2) { found += try difference(observer) }
    for observer in inSections where random.oneIn(2) { found += try difference(observer) }
    return found
  }

  private func save(_ place: ModelContext) {
    do {
      try place.save()
      taken.append("saved")
    } catch {
      taken.append("refused: \(error)")
      place.rollback()
    }
  }

  private func edit(_ place: ModelContext) throws {
    let parcels = try place.fetch(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.name)]))
    let yards = try place.fetch(FetchDescriptor<Yard>(sortBy: [SortDescriptor(\.label)]))
    let (parcel, yard) = (parcels.randomElement(using: &random), yards.randomElement(using: &random))
    let (kind, value) = (number(18), number(6))
    taken.append("\(place === context) \(kind) \(value) \(parcel?.name ?? "none") \(yard?.label ?? "none")")
    switch kind {
    case 0...2: insert(into: place, value, yard)
    case 3: place.insert(Yard(label: "m\(value % 4)"))
    case 4: parcel?.rank = value == 0 ? nil : value
    case 5: parcel?.weight = value
    case 6: parcel?.yard = value == 0 ? nil : yard
    case 7: parcel?.mark = "m\(value % 4)"
    case 8: parcel?.words = Array(repeating: "word", count: value)
    case 9: if let parcel { place.delete(parcel) }
    case 10: if let yard, value < 3 { place.delete(yard) } else { yard?.label = "m\(value % 4)" }
    case 11: yard?.above = yards.first { $0.above == nil && $0 !== yard }
    case 12: yard?.parcels = parcels.filter { _ in random.oneIn(3) }
    case 13: if value < 2 { place.rollback() }
    case 14: place.undoManager?.undo()
    case 15: place.undoManager?.redo()
    case 16: if value == 0 { try place.delete(model: Parcel.self, where: #Predicate { $0.rank == 3 }) }
    default: parcel?.name = "p\(number(12))"
    }
  }

  private func insert(into place: ModelContext, _ value: Int, _ yard: Yard?) {
    let parcel = Parcel(name: "p\(number(12))")
    parcel.rank = value == 0 ? nil : value
    parcel.weight = value
    parcel.mark = "m\(value % 4)"
    parcel.yard = yard
    place.insert(parcel)
  }
}

// What must hold.
extension LiveTwin {
  private func difference<Title>(_ observer: ResultsObserver<Parcel, Title>) throws -> [String] {
    let shown = Array(observer.results)
    let fetched = try context.fetch(observer.fetchDescriptor)
    if let error = observer.fetchError { return ["\(error)"] }
    guard shown.elementsEqual(fetched, by: ===) else {
      return ["shown", shown.map(\.name).joined(separator: " "), "fetched", fetched.map(\.name).joined(separator: " ")]
    }
    // Stored objects that changed here stand where they are stored, with the values of here.
    guard let sections = observer.sections, observer.fetchDescriptor.includePendingChanges else { return [] }
    let places = sections.indices.flatMap { section in
      sections[section].indices.map { IndexPath(indexes: [section, $0]) }
    }
    guard sections.flatMap({ Array($0) }).elementsEqual(fetched, by: ===),
      sections.allSatisfy({ section in section.allSatisfy { "\(section.title)" == $0.mark } }),
      Set(sections.sectionTitles).count == sections.count, fetched.map(observer.indexPath) == places
    else { return ["sections", "\(sections.map { ($0.title, $0.map(\.name)) })"] }
    return []
  }
}
