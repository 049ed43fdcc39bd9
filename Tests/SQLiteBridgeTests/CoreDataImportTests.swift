import Foundation
import RecordStore
import Testing

@testable import SQLiteBridge

/// Files in the layout of Core Data. No Mac made them: SQL writes what the documentation of the layout says.
struct CoreDataImportTests {
  private static let script = """
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)

    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)

    CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)

    CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISDONE INTEGER, ZSTARTDATE TIMESTAMP,
      ZBUDGET DECIMAL, ZNAME VARCHAR, ZPURPOSE VARCHAR, ZKEY BLOB, ZPHOTO BLOB)

    CREATE TABLE ZSTOP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTRIP INTEGER, Z_FOK_TRIP INTEGER,
      ZHOST INTEGER, ZPLACE VARCHAR)

    CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR)

    CREATE TABLE Z_3TRIPS (Z_3TAGS INTEGER, Z_4TRIPS INTEGER, PRIMARY KEY (Z_3TAGS, Z_4TRIPS))

    CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)

    CREATE INDEX ZSTOP_ZTRIP_INDEX ON ZSTOP (ZTRIP)

    CREATE INDEX ZSTOP_ZHOST_INDEX ON ZSTOP (ZHOST)

    CREATE UNIQUE INDEX Z_Tag_UNIQUE_label ON ZTAG (ZLABEL)

    INSERT INTO Z_METADATA VALUES (1, '0A1B2C3D-0000-4000-8000-000000000001', NULL)

    INSERT INTO Z_PRIMARYKEY VALUES (1, 'BusinessTrip', 4, 0), (2, 'Stop', 0, 2), (3, 'Tag', 0, 2), (4, 'Trip', 0, 2),
      (16001, 'CHANGE', 0, 0)

    INSERT INTO ZTRIP VALUES (1, 4, 1, 1, 0.5, 12.5, 'Alps', NULL, x'000102030405060708090a0b0c0d0e0f', x'01616263'),
      (2, 1, 1, 0, -86400, 3, 'Fair', 'sales', NULL,
        CAST(char(2) || '11111111-2222-4333-8444-555555555555' || char(0) AS BLOB))

    INSERT INTO ZSTOP VALUES (1, 2, 1, 1, 1024, 7, 'Chamonix'), (2, 2, 1, 2, 1024, NULL, 'Hanover')

    INSERT INTO ZTAG VALUES (1, 3, 1, 'snow'), (2, 3, 1, 'work')

    INSERT INTO Z_3TRIPS VALUES (1, 1), (2, 2), (2, 1)
    """

  private static let photo = "11111111-2222-4333-8444-555555555555"

  private func make(_ fixture: SQLiteFixture) throws -> URL {
    let url = try fixture.make(Self.script, named: "Trips.store.sqlite")
    let folder = fixture.folder.appendingPathComponent(".Trips.store_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("large".utf8).write(to: folder.appendingPathComponent(Self.photo))
    return url
  }

  /// As models of the app declare it: the subclass's properties are sparse, beside the name of the class.
  private static let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "Trip",
      attributes: [
        AttributeDefinition(name: ".class", type: .string, isOptional: true, isSparse: true),
        AttributeDefinition(name: "name", type: .string), AttributeDefinition(name: "isDone", type: .bool),
        AttributeDefinition(name: "startDate", type: .date),
        AttributeDefinition(name: "budget", type: .decimal, isOptional: true),
        AttributeDefinition(name: "key", type: .uuid, isOptional: true),
        AttributeDefinition(name: "photo", type: .data, isOptional: true, isStoredExternally: true),
        AttributeDefinition(name: "BusinessTrip.purpose", type: .string, isOptional: true, isSparse: true),
      ],
      relationships: [
        RelationshipDefinition(name: "stops", destination: "Stop", isToMany: true, inverse: "trip"),
        RelationshipDefinition(name: "tags", destination: "Tag", isToMany: true, inverse: "trips"),
      ]),
    EntityDefinition(
      name: "Stop", attributes: [AttributeDefinition(name: "place", type: .string)],
      relationships: [RelationshipDefinition(name: "trip", destination: "Trip", inverse: "stops")]),
    EntityDefinition(
      name: "Tag", attributes: [AttributeDefinition(name: "label", type: .string)],
      relationships: [RelationshipDefinition(name: "trips", destination: "Trip", isToMany: true, inverse: "tags")],
      uniquenessConstraints: [["label"]]),
  ])

  private func expectTrips(_ fixture: SQLiteFixture) throws {
    #expect(
      try fixture.links("tags", of: "Trip", named: "name", to: "label") == [
        "Alps > snow", "Alps > work", "Fair > work",
      ])
    #expect(try fixture.links("trip", of: "Stop", named: "place", to: "name") == ["Chamonix > Alps", "Hanover > Fair"])
  }

  @Test func `a store of the app takes types, classes, relationships and large values by its models' names`() throws {
    try SQLiteFixture.with { fixture throws in
      let store = try RecordStore.open(fixture.configuration("new"), schema: Self.schema)
      let url = try make(fixture)
      let report = try SQLiteImport(url).enter(into: store)
      #expect(report.inserted == 6)
      #expect(
        report.notes == [
          "ZSTOP.ZHOST: the store's entity 'Stop' has no property for it, left out",
          "ZSTOP.Z_FOK_TRIP: the order of a relationship, left out",
        ], "\(report.notes)")
      #expect(
        try fixture.records("Trip") == [
          #"{".class":"BusinessTrip","name":"Fair","isDone":false,"startDate":"2000-12-31T00:00:00Z","budget":"3","#
            + #""key":null,"photo":"bGFyZ2U=","BusinessTrip.purpose":"sales"}"#,
          #"{".class":null,"name":"Alps","isDone":true,"startDate":"2001-01-01T00:00:00.5Z","budget":"12.5","#
            + #""key":"00010203-0405-0607-0809-0a0b0c0d0e0f","photo":"YWJj","BusinessTrip.purpose":null}"#,
        ])
      try expectTrips(fixture)
      #expect(try SQLiteImport(url).enter(into: store).unchanged == 6)
    }
  }

  @Test func `an ordered list of the store has the order of the file`() throws {
    try SQLiteFixture.with { fixture throws in
      var schema = Self.schema
      schema.entities[1].attributes.append(
        AttributeDefinition(name: "Trip.stops.order", type: .string, isOptional: true))
      let store = try RecordStore.open(fixture.configuration("new"), schema: schema)
      let url = try make(fixture)
      let writer = try SQLiteConnection.creating(url.path)
      try writer.execute(
        """
        INSERT INTO ZSTOP VALUES (3, 2, 1, 1, 512, NULL, 'Lyon'), (4, 2, 1, 1, 2048, NULL, 'Turin'),
          (5, 2, 1, 1, NULL, NULL, 'Rome'), (6, 2, 1, NULL, 1, NULL, 'Oslo')
        """)
      func stops() throws -> [FieldValue] {
        try store.read { snapshot in
          let trip = try #require(snapshot.catalogue.entity(named: "Trip"))
          let stop = try #require(snapshot.catalogue.entity(named: "Stop"))
          let place = try #require(stop.field(named: "place"))
          let list = try #require(trip.relationship(named: "stops"))
          let alps = try #require(
            try snapshot.fetch(RecordQuery(entity: trip.number)).first { record in
              trip.field(named: "name").map { record.value(of: $0) } == .string("Alps")
            })
          return try snapshot.members(of: alps.id, trip.number, relationship: list).compactMap { id in
            try snapshot.record(id, of: stop.number)?.value(of: place)
          }
        }
      }
      let report = try SQLiteImport(url).enter(into: store)
      #expect(report.notes == ["ZSTOP.ZHOST: the store's entity 'Stop' has no property for it, left out"])
      #expect(try stops() == ["Lyon", "Chamonix", "Turin", "Rome"].map { .string($0) })
      #expect(try SQLiteImport(url).enter(into: store).unchanged == 10)
      try writer.execute("UPDATE ZSTOP SET Z_FOK_TRIP = 1 WHERE Z_PK = 4")
      _ = try SQLiteImport(url).enter(into: store)
      #expect(try stops() == ["Turin", "Lyon", "Chamonix", "Rome"].map { .string($0) })
    }
  }

  @Test func `a new store has what the file tells, and the report says what it does not tell`() throws {
    try SQLiteFixture.with { fixture throws in
      let report = try fixture.importNew(make(fixture))
      #expect(report.inserted == 6)
      #expect(
        report.notes.contains { $0.hasPrefix("ZSTOP.ZHOST: a whole number with an index, perhaps a relationship") })
      #expect(report.notes.contains("ZTRIP.ZKEY: taken as UUIDs, because each value has 16 bytes"))
      #expect(
        try fixture.records("Trip") == [
          #"{".class":"BusinessTrip","isdone":0,"startdate":"2000-12-31T00:00:00Z","budget":"3","name":"Fair","#
            + #""BusinessTrip.purpose":"sales","key":null,"photo":"bGFyZ2U="}"#,
          #"{".class":null,"isdone":1,"startdate":"2001-01-01T00:00:00.5Z","budget":"12.5","name":"Alps","#
            + #""BusinessTrip.purpose":null,"key":"00010203-0405-0607-0809-0a0b0c0d0e0f","photo":"YWJj"}"#,
        ])
      try expectTrips(fixture)
    }
  }

  @Test(arguments: ["missing", "link"]) func `a large value whose file is missing, or is no file, is told by its row`(
    fault: String
  ) throws {
    try SQLiteFixture.with { fixture throws in
      let url = try make(fixture)
      let file = fixture.folder.appendingPathComponent(".Trips.store_SUPPORT/_EXTERNAL_DATA/\(Self.photo)")
      try FileManager.default.removeItem(at: file)
      if fault == "link" { try FileManager.default.createSymbolicLink(at: file, withDestinationURL: url) }
      let error = #expect(throws: BridgeError.self) { try fixture.importNew(url) }
      #expect(error?.message.hasPrefix("row 1 of 'ZTRIP' names ") == true, "\(error?.message ?? "")")
    }
  }

  @Test func `parents in a ring and rows of unknown entities end nothing`() throws {
    try SQLiteFixture.with { fixture throws in
      let url = try make(fixture)
      let connection = try SQLiteConnection.creating(url.path)
      try connection.execute("INSERT INTO Z_PRIMARYKEY VALUES (20, 'A', 21, 0), (21, 'B', 20, 0), (22, 'C', 22, 0)")
      try connection.execute("INSERT INTO ZTAG VALUES (3, 99, 1, 'stranger')")
      let report = try fixture.importNew(url)
      #expect(report.inserted == 6)
      #expect(report.notes.contains("ZTAG: 1 rows of an entity that the file does not name, left out"))
    }
  }
}
