import Tandem
import Testing

/// A chain of two rules: a delete takes hulls along, and a hull that has captains must not go.
///
/// It went wrong: a rule of deny held for what a delete took along where the link lies in the owner's record or in a
/// join, and not where it lies in the record that goes along.
struct DeniedCascadeTests {
  enum Way: CaseIterable {
    case list, single, joint, listWithoutInverse, singleWithoutInverse
  }

  private func link(_ fleet: Fleet, _ hull: Hull, _ way: Way) {
    switch way {
    case .list: fleet.hulls = [hull]
    case .single: fleet.flagship = hull
    case .joint: fleet.shared = [hull]
    case .listWithoutInverse: fleet.boats = [hull]
    case .singleWithoutInverse: fleet.tender = hull
    }
  }

  private func link(_ hull: Hull, _ captain: Captain, _ way: Way) {
    switch way {
    case .list: hull.captains = [captain]
    case .single: hull.master = captain
    case .joint: hull.officers = [captain]
    case .listWithoutInverse: hull.guests = [captain]
    case .singleWithoutInverse: hull.pilot = captain
    }
  }

  @Test(arguments: Way.allCases, Way.allCases)
  func `a rule of deny holds for what a delete takes along`(cascade: Way, deny: Way) async throws {
    try await withContainer(for: [Fleet.self, Hull.self, Captain.self]) { container in
      let context = ModelContext(container)
      let (fleet, hull, captain) = (Fleet(), Hull(), Captain())
      context.insert(fleet)
      link(fleet, hull, cascade)
      link(hull, captain, deny)
      try context.save()
      context.delete(fleet)
      expectError(.deleteDenied) { try context.save() }
      context.rollback()
      #expect(!fleet.isDeleted && !hull.isDeleted)
      // Together with what stands against it, it goes.
      context.delete(fleet)
      context.delete(captain)
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Hull>()) == 0)
    }
  }

  @Test func `a rule of deny holds for what goes with an object that it cannot be without`() async throws {
    try await withContainer(for: [Buoy.self]) { container in
      let context = ModelContext(container)
      let anchor = Anchor()
      let buoy = Buoy(anchor: anchor)
      buoy.keeper = Captain()
      context.insert(buoy)
      try context.save()
      context.delete(anchor)
      expectError(.deleteDenied) { try context.save() }
      buoy.keeper = nil
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Buoy>()) == 0)
    }
  }
}

extension DeniedCascadeTests {
  @Model final class Fleet {
    @Relationship(deleteRule: .cascade, inverse: \Hull.fleet) var hulls: [Hull] = []
    @Relationship(deleteRule: .cascade, inverse: \Hull.led) var flagship: Hull?
    @Relationship(deleteRule: .cascade, inverse: \Hull.fleets) var shared: [Hull] = []
    @Relationship(deleteRule: .cascade) var boats: [Hull] = []
    @Relationship(deleteRule: .cascade) var tender: Hull?
    init() {}
  }

  @Model final class Hull {
    var fleet: Fleet?
    var led: Fleet?
    var fleets: [Fleet] = []
    @Relationship(deleteRule: .deny, inverse: \Captain.hull) var captains: [Captain] = []
    @Relationship(deleteRule: .deny, inverse: \Captain.ship) var master: Captain?
    @Relationship(deleteRule: .deny, inverse: \Captain.hulls) var officers: [Captain] = []
    @Relationship(deleteRule: .deny) var guests: [Captain] = []
    @Relationship(deleteRule: .deny) var pilot: Captain?
    init() {}
  }

  @Model final class Captain {
    var hull: Hull?
    var ship: Hull?
    var hulls: [Hull] = []
    init() {}
  }

  @Model final class Anchor {
    init() {}
  }

  @Model final class Buoy {
    var anchor: Anchor
    @Relationship(deleteRule: .deny) var keeper: Captain?
    init(anchor: Anchor) { self.anchor = anchor }
  }
}
