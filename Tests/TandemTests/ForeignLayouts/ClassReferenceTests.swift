import ForeignLayouts
import Foundation
import Testing

@testable import Tandem

/// References that are seen in their places, beside those that are taken out.
struct ClassReferenceTests {
  // A pointer, as the code that is tested gets one.
  private typealias Place = UnsafeMutablePointer<(any PersistentModel)?>

  private func withPlace(_ model: consuming (any PersistentModel)?, _ body: (Place) -> Void) {
    let place = Place.allocate(capacity: 1)
    place.initialize(to: model)
    body(place)
    place.deinitialize(count: 1)
    place.deallocate()
  }

  @Test func `an object in its place has its address, and is held by the place alone or by others, too`() {
    withPlace(Trip(code: "a")) { place in
      #expect(ClassReference.address(at: place) == place.pointee.map { UInt(bitPattern: ObjectIdentifier($0)) })
      #expect(ClassReference.isOnlyInPlace(place))
      #expect(ClassReference.isOnlyTakenOut(place))
      // Back in its place.
      #expect((place.pointee as? Trip)?.code == "a")
      let other = place.pointee
      #expect(!ClassReference.isOnlyInPlace(place))
      #expect(!ClassReference.isOnlyTakenOut(place))
      withExtendedLifetime(other) {}
    }
  }

  @Test func `the self-test fails for another address and another count`() {
    typealias Specimen = UnsafeMutablePointer<(any ClassReference.Specimen)?>
    let address = { (place: Specimen) in ClassReference.address(at: place) }
    let isOnly = { (place: Specimen) in ClassReference.isOnlyInPlace(place) }
    #expect(ClassReference.agrees(address: address, isOnly: isOnly))
    #expect(!ClassReference.agrees(address: { address($0) + 8 }, isOnly: isOnly))
    #expect(!ClassReference.agrees(address: address, isOnly: { !isOnly($0) }))
    #expect(!ClassReference.agrees(address: address) { _ in true })
    #expect(!ClassReference.agrees(address: address) { _ in false })
  }

  @Test func `without it fetches give the same objects, and contexts let go of the same ones`() async {
    await #expect(processExitsWith: .success) {
      ForeignLayout.references.settle(false)
      #expect(!ClassReference.isKnown)
      let container = try ModelContainer(
        for: Trip.self, Stop.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let filling = ModelContext(container)
      for number in 0..<4_200 { filling.insert(Trip(code: "\(number)")) }
      try filling.save()
      weak var unheld: Trip?
      weak var last: Trip?
      do {
        let context = ModelContext(container)
        var held: Trip?
        do {
          let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)]))
          #expect(trips.map(\.code) == (0..<4_200).map { "\($0)" })
          unheld = trips.first { $0.code == "1" }
          held = trips.first { $0.code == "2" }
        }
        #expect(unheld != nil)
        let again = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.code == "2" }))
        #expect(unheld == nil)
        #expect(again.count == 1 && again.first === held)
        last = held
      }
      #expect(last == nil)
    }
  }
}
