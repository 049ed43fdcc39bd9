import Foundation
import SwiftData

@Model final class Trip {
  var name: String
  init(name: String) { self.name = name }
}

let store = ModelConfiguration(url: URL(filePath: "Trips.store"))
let context = ModelContext(try ModelContainer(for: Trip.self, configurations: store))
context.insert(Trip(name: "Alps"))
try context.save()
print("trips:", try context.fetchCount(FetchDescriptor<Trip>()))
