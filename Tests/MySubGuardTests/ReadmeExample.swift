import Foundation
import Tandem

@Model final class Trip {
  @Attribute(.unique) var name: String
  var start: Date
  @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
  init(name: String, start: Date) { (self.name, self.start) = (name, start) }
}

@Model final class Stop {
  var place: String
  var trip: Trip?
  init(place: String) { self.place = place }
}

func planTrips(device: URL) throws -> [String] {
  let configuration = ModelConfiguration(
    "Travel", groupContainer: .identifier("group.com.example.travel"), containerRoot: device)
  let context = ModelContext(try ModelContainer(for: Trip.self, Stop.self, configurations: configuration))
  let alps = Trip(name: "Alps", start: .now)
  context.insert(alps)
  alps.stops = [Stop(place: "Chamonix"), Stop(place: "Zermatt")]
  try context.save()  // durable; other processes on this store see it now
  let planned = FetchDescriptor<Trip>(
    predicate: #Predicate { $0.name.starts(with: "A") }, sortBy: [SortDescriptor(\.start)])
  return try context.fetch(planned).map { "\($0.name): \($0.stops.count) stops" }
}
