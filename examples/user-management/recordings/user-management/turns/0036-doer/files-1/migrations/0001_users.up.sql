CREATE TABLE "users" (
    "id" INTEGER PRIMARY KEY,
    "email" TEXT NOT NULL CHECK ("email" <> ''),
    "display_name" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive')),
    "created_at" TEXT NOT NULL,
    "changed_at" TEXT NOT NULL
);
CREATE UNIQUE INDEX users_email ON "users" ("email" COLLATE NOCASE);
CREATE INDEX users_changed_at ON "users" ("changed_at");
