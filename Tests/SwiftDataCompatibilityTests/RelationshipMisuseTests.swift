import SwiftData
import Testing

@Model
final class Game {
  var title: String = ""
  var home: Club?
  var guest: Club?
  var stadium: Stadium?
  init() {}
}

@Model
final class Club {
  var games: [Game] = []
  @Relationship(minimumModelCount: 1) var ground: Stadium?
  init() {}
}

@Model
final class Stadium {
  var name: String
  var games: [Game] = []
  init(name: String) { self.name = name }
}

/// By another name, of which the macro does not know that it is no model.
typealias OddName = String

@Model
final class Odd {
  @Relationship(deleteRule: .cascade) var name: OddName = ""
  init() {}
}

/// What is declared or done wrong with relationships, and what comes of it.
@Suite struct RelationshipMisuseTests {
  private func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    return ModelContext(try ModelContainer(for: Schema(types), configurations: [configuration]))
  }

  @Test func `an inverse that could be several is none, and the schema says so`() throws {
    let schema = Schema([Game.self])
    #expect(
      schema.ambiguousRelationships == [
        "Club.games leads one way, as its other side could be Game.home or Game.guest: say which by 'inverse:'",
        "Game.home leads one way, as its other side could be Club.games: say which by 'inverse:'",
        "Game.guest leads one way, as its other side could be Club.games: say which by 'inverse:'",
      ])
    #expect(schema.entitiesByName["Game"]?.relationshipsByName["home"]?.inverseName == nil)
    #expect(schema.entitiesByName["Game"]?.relationshipsByName["stadium"]?.inverseName == "games")
    #expect(Schema([Match.self, Hub.self, Folder.self]).ambiguousRelationships.isEmpty)
  }

  @Test func `a relationship to what is no model is refused with a remedy`() {
    #expect {
      try context(Odd.self)
    } throws: { "\($0)".contains("Odd.name is declared with @Relationship") }
  }

  @Test func `an optional to-one with a minimum must be set by the save`() throws {
    let context = try context(Club.self)
    let club = Club()
    context.insert(club)
    #expect {
      try context.save()
    } throws: { SwiftDataError.modelValidationFailure ~= $0 && "\($0)".contains("Club.ground") }
    club.ground = Stadium(name: "s")
    try context.save()
    context.delete(try #require(club.ground))
    #expect { try context.save() } throws: { SwiftDataError.modelValidationFailure ~= $0 }
    context.rollback()
    #expect(club.ground?.name == "s")
  }

  @Test func `an object that was changed may go with its owner in the same save`() throws {
    let context = try context(Folder.self)
    let root = Folder(name: "root")
    let child = Folder(name: "child", parent: root)
    context.insert(root)
    try context.save()
    child.name = "changed"
    context.delete(root)
    try context.save()
    #expect(root.isDeleted && child.isDeleted && child.name == "changed")
    #expect(try context.fetchCount(FetchDescriptor<Folder>()) == 0)
  }

  @Test func `a link to an object that another context deleted reads as none`() throws {
    let context = try context(Game.self)
    let (game, stadium) = (Game(), Stadium(name: "s"))
    game.stadium = stadium
    context.insert(game)
    try context.save()
    let other = ModelContext(context.container)
    other.delete(try #require(other.model(for: stadium.persistentModelID) as? Stadium))
    try other.save()
    context.processPendingChanges()
    #expect(stadium.isDeleted && game.stadium == nil && stadium.name == "s")
    game.stadium = stadium
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Stadium>()) == 0)
  }

  @Test func `an owner without an inverse gives its objects away more than once`() throws {
    let context = try context(Club.self)
    let clubs = [Club(), Club(), Club()]
    for club in clubs {
      club.ground = Stadium(name: "s")
      context.insert(club)
    }
    let game = Game()
    for club in clubs {
      club.games = [game]
      try context.save()
      #expect(clubs.filter { $0.games == [game] }.count == 1)
    }
    let other = ModelContext(context.container)
    let holders = try other.fetch(FetchDescriptor<Club>()).filter { !$0.games.isEmpty }
    #expect(holders.map(\.persistentModelID) == [clubs[2].persistentModelID])
  }
}
