import SwiftData
import Testing

/// A view model as apps have it.
@MainActor @Observable
private final class TripList {
  private let observer: ResultsObserver<Trip, String>
  var titles: [String] { observer.sections?.map(\.title) ?? [] }
  var codes: [String] { observer.results.map(\.code) }

  init(_ container: ModelContainer) throws {
    observer = try ResultsObserver(
      sortBy: [SortDescriptor(\.destination), SortDescriptor(\.code)], sectionBy: \.destination,
      modelContext: container.mainContext)
  }
}

@MainActor
@Suite struct LiveResultsTests {
  @Test func `a list in sections follows inserts and edits`() throws {
    let container = try makeContainer()
    let context = container.mainContext
    let list = try TripList(container)
    context.insert(Trip(code: "A1", name: "One", destination: "Odesa", start: .day(1)))
    context.insert(Trip(code: "A2", name: "Two", destination: "Lviv", start: .day(2)))
    #expect(list.titles == ["Lviv", "Odesa"])
    try context.save()
    let other = ModelContext(container)
    other.insert(Trip(code: "A3", name: "Three", destination: "Kyiv", start: .day(3)))
    try other.save()
    context.processPendingChanges()
    #expect(list.codes == ["A3", "A2", "A1"])
  }

  @Test func `observations of results are told of each change`() async throws {
    let container = try makeContainer()
    let list = try TripList(container)
    var observations = Observations { list.codes }.makeAsyncIterator()
    let observed1 = await observations.next(isolation: #isolation)
    #expect(observed1 == [])
    let importer = Importer(modelContainer: container)
    _ = try await importer.add("A1")
    let observed2 = await observations.next(isolation: #isolation)
    #expect(observed2 == ["A1"])
  }

  @Test func `an optional property names sections too, and a descriptor is observed`() throws {
    let context = try makeContainer().mainContext
    for (code, note) in [("A1", nil), ("A2", "x")] as [(String, String?)] {
      let traveler = Traveler(email: code, firstName: "n")
      traveler.passport = note.map { Passport(number: $0) }
      context.insert(traveler)
    }
    let observer = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Traveler>(sortBy: [SortDescriptor(\.email)]), sectionBy: \.passport?.number,
      modelContext: context)
    #expect(observer.sections?.sectionTitles == ["", "x"])
    #expect(observer.sections?[sectionTitle: "x"]?.first?.email == "A2")
    let all = try ResultsObserver(fetchDescriptor: FetchDescriptor<Traveler>(), modelContext: context)
    #expect(all.results.count == 2)
  }

  @Test func `a history observer counts what others saved`() async throws {
    let container = try makeContainer()
    let observer = try HistoryObserver(observedModels: [Trip.self], modelContainer: container)
    #expect(observer.eventCounter == 0 && observer.authors.isEmpty && observer.observedModels.count == 1)
    var transactions = observer.transactions.makeAsyncIterator()
    _ = try await Importer(modelContainer: container).add("A1")
    let transaction3 = try await transactions.next(isolation: #isolation)
    #expect(transaction3?.changes.count == 1)
    #expect(observer.eventCounter == 1)
  }
}
