import Foundation
import Tandem
import Testing

/// A context with many objects lets go of those that it alone holds.
@Suite struct SweepTests {
  @Test func `a later fetch lets unheld objects go, with members that only they hold, and keeps all others`()
    async throws
  {
    try await withContainer { container in
      do {
        let filling = ModelContext(container)
        for number in 0..<4_200 { filling.insert(Trip(code: "\(number)")) }
        let parent = Trip(code: "parent")
        parent.stops = [Stop(place: "member")]
        filling.insert(parent)
        try filling.save()
      }
      let context = ModelContext(container)
      weak var unheld: Trip?
      weak var changed: Trip?
      weak var parent: Trip?
      weak var member: Stop?
      var held: Trip?
      do {
        let trips = try context.fetch(FetchDescriptor<Trip>())
        unheld = trips.first { $0.code == "1" }
        held = trips.first { $0.code == "2" }
        changed = trips.first { $0.code == "3" }
        changed?.name = "unsaved"
        parent = trips.first { $0.code == "parent" }
        member = parent?.stops.first
        #expect(member != nil)
      }
      #expect(unheld != nil && parent != nil)
      let again = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.code == "2" }))
      #expect(unheld == nil)
      #expect(parent == nil)
      #expect(member == nil)
      #expect(again.count == 1 && again.first === held)
      #expect(changed?.name == "unsaved")
      try context.save()
      let saved = try ModelContext(container).fetch(
        FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "unsaved" }))
      #expect(saved.map(\.code) == ["3"])
    }
  }
}
