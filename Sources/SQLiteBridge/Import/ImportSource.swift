import RecordStore

/// A SQLite file as the records that it holds, whichever program wrote it.
struct ImportSource {
  /// How the rows of a table are named as records.
  enum Identity {
    /// A column has the record's id.
    case recordID(column: String)
    /// The id is derived from the values of columns, so that a second import of the file means the same records.
    case derived(columns: [String])
  }

  /// A to-one relationship in columns of the file.
  struct Target {
    /// The name of the table that is referred to.
    let table: String
    /// Columns of the table that is referred to.
    let columns: [String]
  }

  /// Whether values begin with a byte that says where the rest lies, as Core Data writes large ones.
  enum Marks {
    case absent
    /// Each value begins with such a byte, and none tells that it is one.
    case possible
    case present
  }

  struct Column {
    /// The columns that hold the value: one, or those of a foreign key.
    let names: [String]
    /// The property that the column stands for, in a new store.
    let property: String
    /// Other names that a store may have for the property.
    var alternatives: [String] = []
    var type: FieldType
    var isOptional = true
    var target: Target?
    var marks = Marks.absent
    /// Whether the rows of the entity have any value here.
    var hasValues = true
  }

  /// The rows of one entity.
  struct Table {
    let name: String
    /// The entity, in a new store.
    let entity: String
    /// A condition on the rows, in SQL.
    var filter: String?
    /// The entity's ancestors, nearest first, where entities inherit.
    var ancestors: [String] = []
    let identity: Identity
    var columns: [Column]
    /// Columns with the places of rows in ordered lists, each with the property that leads to the owner of the list.
    var places: [(column: String, property: String)] = []
  }

  /// The links of a many-to-many relationship.
  struct Join {
    let table: String
    let columns: [String]
    let otherColumns: [String]
    let near: Target
    let far: Target
    let entity: String
    let relationship: String
  }

  var tables: [Table] = []
  var joins: [Join] = []
  var reading = SQLiteReading.unix
  /// Keeps the records of two files apart.
  var namespace: String
  /// Sentences about all that was left out or taken in another way.
  var notes: [String] = []
  /// How types of a new store were found, a sentence each.
  var typeNotes: [String] = []
  var definition: Definition

  /// The schema of a store that is made for the file.
  enum Definition {
    case schema(StoreSchema)
    case catalogue(Catalogue)
  }

  func identity(of table: String) -> Identity? { tables.first { $0.name == table }?.identity }
}
