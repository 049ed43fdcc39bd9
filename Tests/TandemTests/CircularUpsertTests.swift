import Tandem
import Testing

/// New objects that refer to each other in a circle, of which one turns out to be a record that exists.
///
/// It went wrong: a reference that was written before its target, as one of a circle must be, named the id that the
/// target then had not. It was lost, or the save refused. Random work has few circles through unique values.
struct CircularUpsertTests {
  enum Circle: CaseIterable {
    case childAndFavourite, favouriteAndChild, listWithoutInverse, itself
  }

  @Test(arguments: Circle.allCases)
  func `a circle of new objects is saved whole when one of them exists already`(_ circle: Circle) async throws {
    try await withContainer(for: [Tour.self, Stage.self]) { container in
      let earlier = ModelContext(container)
      earlier.insert(Tour(code: "1"))
      try earlier.save()
      let context = ModelContext(container)
      let (tour, stage) = (Tour(code: "1"), Stage())
      switch circle {
      case .childAndFavourite:
        context.insert(tour)
        stage.tour = tour
        tour.favourite = stage
      case .favouriteAndChild:
        context.insert(stage)
        tour.favourite = stage
        stage.tour = tour
      case .listWithoutInverse:
        context.insert(tour)
        tour.extras = [stage]
        tour.favourite = stage
      case .itself:
        context.insert(tour)
        tour.next = tour
      }
      let shown = links(of: tour)
      try context.save()
      let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<Tour>()).first)
      #expect(links(of: tour) == shown && links(of: stored) == shown)
      #expect(try context.fetchCount(FetchDescriptor<Tour>()) == 1)
    }
  }

  private func links(of tour: Tour) -> [Int] {
    [tour.stages.count, tour.extras.count, tour.favourite == nil ? 0 : 1, tour.next == tour ? 1 : 0]
  }
}

extension CircularUpsertTests {
  @Model final class Tour {
    @Attribute(.unique) var code: String
    @Relationship(deleteRule: .cascade, inverse: \Stage.tour) var stages: [Stage] = []
    var extras: [Stage] = []
    var favourite: Stage?
    var next: Tour?
    init(code: String) { self.code = code }
  }

  @Model final class Stage {
    var tour: Tour?
    init() {}
  }
}
