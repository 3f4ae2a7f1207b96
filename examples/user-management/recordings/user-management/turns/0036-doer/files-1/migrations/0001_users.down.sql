DROP TABLE "users";
