import Foundation
import RecordStore
import RecordSync
import Tandem
import TestSupport
import Testing

@Model private final class Cabin {
  @Attribute(.unique) var code: Int
  var floor: Int
  init(code: Int, floor: Int) { (self.code, self.floor) = (code, floor) }
}

/// Live results of objects with a unique attribute, by which an object may turn out to be another one.
@MainActor
struct UniqueResultsTests {
  private let order = [SortDescriptor(\Cabin.floor), SortDescriptor(\Cabin.code)]
  private let upper = #Predicate<Cabin> { $0.floor > 2 }

  /// A step of random work: up to three changes, saved or not.
  private func work(
    in place: ModelContext, _ generator: inout SeededGenerator, rollsBack: Bool = true, saves: Bool
  ) throws {
    let all = try place.fetch(FetchDescriptor<Cabin>(sortBy: order))
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let floor = Int.random(in: 0..<6, using: &generator)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0, 1: place.insert(Cabin(code: Int.random(in: 0..<120, using: &generator), floor: floor))
      case 2: all.randomElement(using: &generator).map { place.delete($0) }
      case 3 where rollsBack: place.rollback()
      case 4:
        guard let cabin = all.randomElement(using: &generator), !cabin.isDeleted else { continue }
        cabin.code = Int.random(in: 0..<120, using: &generator)
      default:
        guard let cabin = all.randomElement(using: &generator), !cabin.isDeleted else { continue }
        cabin.floor = floor
      }
    }
    guard saves else { return }
    do {
      try place.save()
    } catch {
      // Chance gave one cabin the code of another, or changed one that somebody else deleted.
      print("refused: \(error)")
      place.rollback()
    }
  }

  private func fill(_ context: ModelContext) throws {
    for code in 0..<80 { context.insert(Cabin(code: code, floor: code % 6)) }
    try context.save()
  }

  private func shown(_ cabins: some Sequence<Cabin>) -> [String] { cabins.map { "\($0.code) on \($0.floor)" } }

  @Test func `random changes here and elsewhere leave what a fetch gives`() async throws {
    try await withContainer(for: [Cabin.self]) { container in
      var generator = SeededGenerator.announced()
      let context = container.mainContext
      let other = ModelContext(container)
      try fill(context)
      let observer = try ResultsObserver<Cabin, Never>(filterBy: upper, sortBy: order, modelContext: context)
      for step in 0..<150 {
        let place = Bool.random(using: &generator) ? context : other
        try work(in: place, &generator, saves: place === other || Bool.random(using: &generator))
        if Bool.random(using: &generator) { context.processPendingChanges() }
        _ = observer.results.count
        let fetched = try context.fetch(FetchDescriptor(predicate: upper, sortBy: order))
        // The fetch has taken in what others saved; the observer sees that now.
        let now = Array(observer.results)
        #expect(now.map(\.persistentModelID) == fetched.map(\.persistentModelID), "step \(step)")
        #expect(zip(now, fetched).allSatisfy { $0 === $1 }, "step \(step)")
      }
    }
  }

  @Test func `merges that join cabins, and part them, leave what a fetch of another context gives`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tandem-cabins-\(UUID().uuidString)")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    var generator = SeededGenerator.announced()
    let containers = try ["phone", "laptop"].map { device in
      let store = folder.appending(path: "\(device)/cabins/cabins.store")
      try FileManager.default.createDirectory(at: store.deletingLastPathComponent(), withIntermediateDirectories: true)
      var configuration = ModelConfiguration(url: store)
      configuration.durability = .relaxed
      return try ModelContainer(for: Cabin.self, configurations: configuration)
    }
    let devices = try ["phone", "laptop"].map { try DeviceDirectory(folder.appending(path: $0)) }
    try fill(containers[0].mainContext)
    let observers = try containers.map {
      try ResultsObserver<Cabin, Never>(filterBy: upper, sortBy: order, modelContext: $0.mainContext)
    }
    for step in 0..<40 {
      for container in containers {
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          try work(in: ModelContext(container), &generator, saves: true)
        }
      }
      if generator.oneIn(2) { _ = try await DeviceSync().synchronize(devices[0], devices[1]) }
      for (container, observer) in zip(containers, observers) {
        container.mainContext.processPendingChanges()
        let now = Array(observer.results)
        let fetched = try ModelContext(container).fetch(FetchDescriptor(predicate: upper, sortBy: order))
        #expect(shown(now) == shown(fetched), "step \(step)")
        #expect(now.map(\.persistentModelID) == fetched.map(\.persistentModelID), "step \(step)")
      }
    }
    for container in containers { #expect(try container.store.integrityViolations() == []) }
  }
}
